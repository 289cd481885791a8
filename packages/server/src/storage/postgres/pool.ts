import type pg from 'pg';

/**
 * A few connections that are used again and again: made when they are wanted and none is free, up to a number, and
 * ended when nobody has wanted them for a minute. Whoever finds all of them in use waits in line.
 */
interface ConnectionPool {
  acquire(): Promise<pg.Client>;
  /** A broken one is ended, and another takes its place when one is wanted. */
  release(client: pg.Client, isBroken: boolean): void;
  /** Lets what is in use come back within a grace, then cuts it off. */
  close(): Promise<void>;
}

const IDLE_MS = 60_000;
const CLOSING_GRACE_MS = 2_000;

interface Waiter {
  readonly timer: NodeJS.Timeout;
  resolve(client: pg.Client): void;
  reject(error: unknown): void;
}

export function createPool(options: {
  connect(): Promise<pg.Client>;
  /** False for a connection that was cut off and has not found out yet. */
  isUsable(client: pg.Client): boolean;
  readonly most: number;
  /** How long somebody waits in line before that is given up. */
  readonly waitMs: number;
  overdue(): Error;
}): ConnectionPool {
  const { connect, isUsable, most, waitMs } = options;
  const free: { readonly client: pg.Client; readonly since: number }[] = [];
  const inUse = new Set<pg.Client>();
  const waiting: Waiter[] = [];
  let connecting = 0;
  let isClosed = false;
  let onEmpty = () => {};

  const sweep = setInterval(() => {
    const since = performance.now() - IDLE_MS;
    // Those that were used last stand at the end, and are used first.
    while ((free[0]?.since ?? Number.POSITIVE_INFINITY) < since) end(free.shift()?.client);
  }, IDLE_MS / 2);
  sweep.unref();

  const end = (client: pg.Client | undefined) => void client?.end().catch(() => {});

  function forget(client: pg.Client): void {
    const index = free.findIndex(one => one.client === client);
    if (index >= 0) free.splice(index, 1);
  }

  function takeFree(): pg.Client | undefined {
    let client = free.pop()?.client;
    while (client !== undefined && !isUsable(client)) client = free.pop()?.client;
    return client;
  }

  function hand(client: pg.Client): void {
    const waiter = waiting.shift();
    if (waiter === undefined) {
      free.push({ client, since: performance.now() });
      return;
    }
    clearTimeout(waiter.timer);
    inUse.add(client);
    waiter.resolve(client);
  }

  function refuse(error: unknown): void {
    const waiter = waiting.shift();
    if (waiter === undefined) return;
    clearTimeout(waiter.timer);
    waiter.reject(error);
  }

  function serve(): void {
    while (waiting.length > 0) {
      const client = takeFree();
      if (client !== undefined) hand(client);
      // Each that is being connected to is for one of those who wait.
      else if (inUse.size + connecting < most && connecting < waiting.length) void add();
      else return;
    }
  }

  async function add(): Promise<void> {
    connecting++;
    try {
      const client = await connect();
      // Ended by the server or cut off while nobody has it, it leaves by itself.
      client.once('error', () => forget(client)).once('end', () => forget(client));
      connecting--;
      if (isClosed) end(client);
      else hand(client);
    } catch (error) {
      connecting--;
      refuse(error);
    }
    serve();
  }

  /** One that is still being connected to is ended when it comes. */
  function lookWhetherEmpty(): void {
    if (inUse.size === 0) onEmpty();
  }

  return {
    acquire() {
      if (isClosed) return Promise.reject(options.overdue());
      const client = waiting.length === 0 ? takeFree() : undefined;
      if (client !== undefined) {
        inUse.add(client);
        return Promise.resolve(client);
      }
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(waiter), 1);
          reject(options.overdue());
        }, waitMs);
        const waiter: Waiter = { timer, resolve, reject };
        waiting.push(waiter);
        serve();
      });
    },
    release(client, isBroken) {
      inUse.delete(client);
      if (isBroken || isClosed || !isUsable(client)) end(client);
      else hand(client);
      serve();
      if (isClosed) lookWhetherEmpty();
    },
    async close() {
      isClosed = true;
      clearInterval(sweep);
      while (waiting.length > 0) refuse(options.overdue());
      for (const { client } of free.splice(0)) end(client);
      const emptied = new Promise<void>(resolve => {
        onEmpty = resolve;
      });
      const cut = setTimeout(() => {
        for (const client of inUse) end(client);
      }, CLOSING_GRACE_MS);
      lookWhetherEmpty();
      await emptied;
      clearTimeout(cut);
    },
  };
}
