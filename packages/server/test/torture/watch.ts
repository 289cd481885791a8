import type { RunFiles } from './journal.ts';
import type { Organisation } from './organisation.ts';

/** Somebody who looks at deliveries and events while everything runs, and waits for all of it to come to rest afterwards. */

const LOOK_EVERY_MS = 1_500;
const endStates = ['delivered', 'dead', 'cancelled'];
const ASK_EVERY_MS = 250;

/** Writes down which final states of deliveries were shown, and which events as failed. */
export function watchEnds(files: RunFiles, organisations: readonly Organisation[]) {
  let isOver = false;
  const watching = organisations.map(async ({ name, operator }) => {
    while (!isOver) {
      for (const state of endStates) {
        const path = `/deliveries?state=${state}&limit=50`;
        const askedAt = files.now();
        const { data } = await operator.call<{ id: string; state: string }[]>('GET', path);
        for (const { id, state: shown } of data)
          files.write('seen', {
            ...{ askedAt, at: files.now(), organisation: name, delivery: id, state: shown },
          });
      }
      const { data } = await operator.call<{ id: string }[]>('GET', '/events?state=failed&limit=50');
      for (const { id } of data) files.write('failed', { at: files.now(), event: id });
      await Bun.sleep(LOOK_EVERY_MS);
    }
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all(watching);
    },
  };
}

/** Until nothing waits, or for so long; what waits then is written down. */
export async function untilDrained(
  files: RunFiles,
  organisations: readonly Organisation[],
  mostMs: number,
): Promise<void> {
  const deadline = files.now() + mostMs;
  for (const { name, operator } of organisations) {
    const count = async (path: string) =>
      (await operator.call<unknown[]>('GET', `${path}&limit=100`)).data.length;
    for (;;) {
      const waiting: Record<string, number> = { accepted: await count('/events?state=accepted') };
      for (const state of ['pending', 'held', 'delivering', 'retrying'])
        waiting[state] = await count(`/deliveries?state=${state}`);
      const isRest = Object.values(waiting).every(n => n === 0);
      if (isRest || files.now() > deadline) {
        files.write('final', { kind: 'backlog', organisation: name, waiting });
        break;
      }
      await Bun.sleep(ASK_EVERY_MS);
    }
  }
}
