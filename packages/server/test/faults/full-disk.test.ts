import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, expectRefused, ingestWith, storedEvents, toAnswer } from '../support/endpoints.ts';
import { startProcess, tampering } from '../support/process.ts';
import { prepareDirectory } from './prepare.ts';

/** Past the writes of a start, within a few requests; each refused request is one write that failed. */
const FULL_FROM = 150;
const FULL_UNTIL = FULL_FROM + 30;

test('a full disk: 503 that says so, the dashboard still reads, and there is room again by itself', async () => {
  const { directory, seed, cookie, reopen } = await prepareDirectory();
  const server = await startProcess({
    directory,
    under: tampering(`pwrite64:error=ENOSPC:when=${FULL_FROM}..${FULL_UNTIL}`),
  });
  const ingest = ingestWith(server.url, seed.apiKey);
  const accepted: string[] = [];
  let sent = 0;
  const sendUntil = async (status: number): Promise<Answer> => {
    for (;;) {
      const type = `n${sent++}`;
      const answer = await ingest({ events: [{ type }, { type }] });
      if (answer.status === 202) accepted.push(type, type);
      if (answer.status === status) return answer;
    }
  };
  const read = async (path: string) =>
    toAnswer(await fetch(server.url + path, { headers: { Cookie: cookie } }));

  const refused = await sendUntil(503);
  expectRefused(refused, { status: 503, code: 'storage_unavailable' });
  expect((refused.body as { error: { message: string } }).error.message).toStartWith('The disk is full.');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);

  const events = await read('/dashboard/api/events?limit=100');
  expect(events.status).toBe(200);
  expect((events.body as { data: unknown[] }).data).toHaveLength(accepted.length);
  expect((await read('/healthz')).status).toBe(200);
  expectRefused(await read('/readyz'), { status: 503, code: 'storage_unavailable' });

  await sendUntil(202);
  expect((await read('/readyz')).status).toBe(200);
  server.kill('SIGTERM');
  expect(await server.ended).toBe(0);

  const engine = await reopen();
  const stored = await storedEvents(engine, seed.orgId);
  expect(stored.map(({ type }) => type)).toEqual(accepted.toReversed());
  await engine.close();
  rmSync(directory, { recursive: true });
});

test('a disk too full for the index of the journal to grow: 503 that leaves it open, and then room again', async () => {
  const { directory, seed, reopen } = await prepareDirectory();
  // The index grows eight pages at a time: twice while the file is opened and checked, then once for every
  // 4,096 pages in the journal.
  const index = ['-P', join(directory, 'sluice.db-shm')];
  // Only the ingest endpoints write, so that it is a request which meets it.
  const server = await startProcess({
    directory,
    settings: { SLUICE_ROLES: 'ingest' },
    under: [...tampering('pwrite64:error=ENOSPC:when=17'), ...index],
  });
  const payload = { s: 'x'.repeat(20_000) };
  const events = Array.from({ length: 240 }, () => ({ type: 'a', payload }));
  const ingest = ingestWith(server.url, seed.apiKey);
  // Whoever reads for long keeps the journal from starting over: it grows, and its index with it.
  const reader = new Database(join(directory, 'sluice.db'), { readonly: true });
  reader.run('BEGIN');
  reader.query('SELECT count(*) FROM events').get();
  let answer = await ingest({ events }, { 'X-Ingest-Idempotency-Key': '0' });
  let sent = 1;
  for (; answer.status === 202; sent++) {
    answer = await ingest({ events }, { 'X-Ingest-Idempotency-Key': `${sent}` });
  }
  expectRefused(answer, { status: 503, code: 'storage_unavailable' });
  expect((answer.body as { error: { message: string } }).error.message).toMatch(/^The disk is full.*unknown/);
  const retry = await ingest({ events }, { 'X-Ingest-Idempotency-Key': `${sent - 1}` });
  expect(retry.status).toBe(202);
  reader.run('COMMIT');
  reader.close();
  server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  const engine = await reopen();
  expect(await storedEvents(engine, seed.orgId)).toHaveLength(sent * events.length);
  await engine.close();
  rmSync(directory, { recursive: true });
});
