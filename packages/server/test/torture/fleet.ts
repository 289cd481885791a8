import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { bundled } from '../support/bundle.ts';
import { NotStarted, type ServerProcess, startProcess } from '../support/process.ts';
import type { RunFiles } from './journal.ts';

/** The nodes, each kept running as a service manager would: whatever ends one, it is started again at its address. */
export interface Fleet {
  readonly size: number;
  url(node: number): string;
  /** Which of its lives it is in, counted from 1; that which ended last, where the next has not begun. */
  life(node: number): number;
  /** To the process as it is now; nothing where there is none. */
  signal(node: number, signal: NodeJS.Signals): boolean;
  /** Each start of this node from now on runs under this; null: under nothing. */
  startUnder(node: number, tracing: ((life: number) => Tracer) | null): void;
  /** Moves the clock of every node away from the real time. */
  setClock(offsetMs: number): void;
  ready(): Promise<void>;
  /** What all nodes have printed in all their lives. */
  output(): string;
  stop(): Promise<void>;
}

/** A command, and the file that it writes to. */
export interface Tracer {
  readonly trace: string;
  readonly command: readonly string[];
}

export interface FleetOptions {
  readonly nodes: number;
  readonly directory: string;
  readonly settings: Record<string, string>;
}

interface NodeState {
  process: ServerProcess | null;
  /** Of the lives to come. */
  tracing: ((life: number) => Tracer) | null;
  life: number;
  signals: { at: number; signal: NodeJS.Signals }[];
}

const NODE = bundled(join(import.meta.dir, 'node.ts'));
const START_AGAIN_MS = 200;

export async function startFleet(options: FleetOptions, files: RunFiles): Promise<Fleet> {
  const clockFile = join(files.folder, 'clock');
  writeFileSync(clockFile, '0');
  const ports = await freePorts(options.nodes);
  const printed: string[] = [];
  let isStopping = false;

  const nodes = ports.map((port, node) => {
    const state: NodeState = { process: null, tracing: null, life: 0, signals: [] };
    const begin = async (tracer: Tracer | null) => {
      const started = await startProcess({
        directory: options.directory,
        entry: [process.execPath, NODE, clockFile],
        under: tracer?.command ?? [],
        settings: { ...options.settings, SLUICE_PORT: String(port) },
      });
      const readyAt = files.now();
      state.process = started;
      if (isStopping) send(state, 'SIGTERM');
      const end = await started.ended;
      return { readyAt, end, output: started.output(), stderr: started.stderr() };
    };
    const live = async () => {
      while (!isStopping) {
        Object.assign(state, { life: state.life + 1, signals: [] });
        const tracer = state.tracing?.(state.life) ?? null;
        const startedAt = files.now();
        const { readyAt, end, output, stderr } = await begin(tracer).catch((error: unknown) => {
          // Its storage is away, or full: it says so, and is started again.
          if (error instanceof NotStarted) return { readyAt: null, ...error };
          throw error;
        });
        const { life, signals } = state;
        const said = lastLineOf(stderr);
        const trace = tracer?.trace ?? null;
        files.write('lives', { node, life, startedAt, readyAt, at: files.now(), signals, trace, end, said });
        printed.push(output);
        state.process = null;
        await Bun.sleep(START_AGAIN_MS);
      }
    };
    return { port, state, living: live() };
  });
  /** Written down before it is sent; nothing where there is no process. */
  function send({ process, signals }: NodeState, signal: NodeJS.Signals): boolean {
    if (process === null) return false;
    signals.push({ at: files.now(), signal });
    process.kill(signal);
    return true;
  }
  const urlOf = (node: number) => `http://127.0.0.1:${ports[node]}`;
  const isReady = (node: number) =>
    fetch(`${urlOf(node)}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    );

  return {
    size: options.nodes,
    url: urlOf,
    life: node => nodes[node]?.state.life ?? 0,
    signal(node, signal) {
      const state = nodes[node]?.state;
      return state !== undefined && send(state, signal);
    },
    startUnder(node, tracing) {
      const state = nodes[node]?.state;
      if (state) state.tracing = tracing;
    },
    setClock(offsetMs) {
      writeFileSync(clockFile, String(offsetMs));
      for (const { state } of nodes) state.process?.kill('SIGUSR2');
    },
    async ready() {
      for (let node = 0; node < options.nodes; node++) while (!(await isReady(node))) await Bun.sleep(50);
    },
    output: () => [...printed, ...nodes.map(({ state }) => state.process?.output() ?? '')].join('\n'),
    async stop() {
      isStopping = true;
      for (const { state } of nodes) {
        send(state, 'SIGCONT');
        send(state, 'SIGTERM');
      }
      await Promise.all(nodes.map(({ living }) => living));
    },
  };
}

/** Of the node itself, and not of strace, which stands beside it. */
const lastLineOf = (text: string): string =>
  text
    .split('\n')
    .filter(line => line.trim() !== '' && !line.startsWith('strace: '))
    .at(-1) ?? '';

/** Held all at once, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      server =>
        new Promise<number>((resolve, reject) => {
          server.on('error', reject).listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
  return ports;
}
