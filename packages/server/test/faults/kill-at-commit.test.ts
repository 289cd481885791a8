import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { type Answer, ingestWith, post, sign, storedEvents } from '../support/endpoints.ts';
import { type ServerProcess, startProcess, tampering } from '../support/process.ts';
import { type Prepared, prepareDirectory } from './prepare.ts';

type Send = (server: ServerProcess, prepared: Prepared, n: number) => Promise<Answer>;

/** The three ways in which a sender may come again without making a second event. */
const senders: [string, Send][] = [
  [
    'a key at /v1/ingest',
    (server, { seed }, n) =>
      ingestWith(server.url, seed.apiKey)(
        { events: [{ type: `n${n}` }, { type: `n${n}` }] },
        { 'X-Ingest-Idempotency-Key': `key ${n}` },
      ),
  ],
  [
    'ids of the sender’s own',
    (server, { seed }, n) =>
      ingestWith(
        server.url,
        seed.apiKey,
      )({
        events: [
          { type: `n${n}`, id: `${n} a` },
          { type: `n${n}`, id: `${n} b` },
        ],
      }),
  ],
  [
    'a key at /whk',
    (server, { source }, n) => {
      const body = `{"type":"n${n}"}`;
      return post(`${server.url}/whk/${source.token}`, body, {
        'X-Ingest-Signature': sign(source.secret, body),
        'X-Ingest-Idempotency-Key': `key ${n}`,
      });
    },
  ],
];

/** Past the calls of a start, within a few requests. */
const moments: [string, string, (duplicates: boolean[]) => void][] = [
  [
    'after the commit, before the 202',
    'sendto:signal=SIGKILL:when=5',
    // The retry learns of the first event: it was stored, and nobody was answered.
    duplicates => expect(new Set(duplicates)).toEqual(new Set([true])),
  ],
  [
    'in the middle of a commit’s writes',
    'pwrite64:signal=SIGKILL:when=100',
    // Nothing of it was stored, or all of it, where the commit was that of the work on it before its sender was answered.
    duplicates => expect(new Set(duplicates).size).toBe(1),
  ],
  // Written but not flushed: it may be there or not, as a whole.
  [
    'before the flush',
    'fsync:signal=SIGKILL:when=15',
    duplicates => expect(new Set(duplicates).size).toBe(1),
  ],
];

for (const [when, injection, expectRetry] of moments) {
  // Which way it comes again matters where something was stored; otherwise one stands for all.
  for (const [who, send] of injection.startsWith('sendto') ? senders : senders.slice(0, 1)) {
    test(`killed ${when}: a retry with ${who} gives exactly one event`, async () => {
      const prepared = await prepareDirectory();
      const server = await startProcess({ directory: prepared.directory, under: tampering(injection) });
      const answered: string[][] = [];
      for (let n = 0; ; n++) {
        const answer = await send(server, prepared, n).catch(() => null);
        if (answer === null) break;
        answered.push(eventsOf(answer).map(({ id }) => id));
      }
      expect(await server.ended).toBe('SIGKILL');

      const again = await startProcess({ directory: prepared.directory });
      const retry = eventsOf(await send(again, prepared, answered.length));
      expectRetry(retry.map(({ duplicate }) => duplicate));
      answered.push(retry.map(({ id }) => id));
      expect(eventsOf(await send(again, prepared, answered.length - 1)).map(({ id }) => id)).toEqual(
        answered.at(-1) ?? [],
      );
      again.kill('SIGTERM');
      await again.ended;
      const engine = await prepared.reopen();
      const stored = await storedEvents(engine, prepared.seed.orgId);
      expect(stored.map(({ id }) => id).toReversed()).toEqual(answered.flat());
      await engine.close();
      rmSync(prepared.directory, { recursive: true });
    });
  }
}

function eventsOf({ status, body }: Answer): { id: string; duplicate: boolean }[] {
  expect(status).toBe(202);
  const { data } = body as { data: { id: string; duplicate: boolean } | { events: [] } };
  return 'events' in data ? data.events : [data];
}
