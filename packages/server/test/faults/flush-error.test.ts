import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { acceptedIds, expectRefused, ingestWith } from '../support/endpoints.ts';
import { createLoad, expectPromisesKept } from '../support/load.ts';
import { startProcess, tampering } from '../support/process.ts';
import { prepareDirectory } from './prepare.ts';

const body = '{"events":[{"type":"a"},{"type":"b"}]}';

/** Past the flushes of a start, within a few requests. */
const LATER = 15;

test('a failed flush: 503, nothing more is accepted, the process ends, and comes back with what it acknowledged', async () => {
  const { directory, seed, reopen } = await prepareDirectory();
  // This one flush only: what comes after it would succeed, and must not be tried.
  const server = await startProcess({ directory, under: tampering(`fsync:error=EIO:when=${LATER}`) });
  const ingest = ingestWith(server.url, seed.apiKey);
  const acknowledged: string[] = [];
  let answer = await ingest(body);
  while (answer.status === 202) {
    acknowledged.push(...acceptedIds(answer));
    answer = await ingest(body);
  }
  expectRefused(answer, { status: 503, code: 'storage_unavailable' });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  const after = await ingest(body).catch(() => null);
  if (after !== null) expectRefused(after, { status: 503, code: 'storage_unavailable' });
  expect(await server.ended).toBe(1);
  expect(server.output()).toContain('The disk failed');

  const again = await startProcess({ directory });
  expect((await ingestWith(again.url, seed.apiKey)(body)).status).toBe(202);
  again.kill('SIGTERM');
  expect(await again.ended).toBe(0);
  const engine = await reopen();
  for (const id of acknowledged) expect(await engine.journal.findEvent(seed.orgId, id)).not.toBeNull();
  await engine.close();
  rmSync(directory, { recursive: true });
});

test('under load everybody who shared that commit is answered so, and the promises hold after the restart', async () => {
  const { directory, seed, source, reopen } = await prepareDirectory();
  const load = createLoad(seed, source);
  const server = await startProcess({ directory, under: tampering(`fsync:error=EIO:when=${LATER}`) });
  const { stop } = load.run(server.url, 1);
  expect(await server.ended).toBe(1);
  await stop();
  const again = await startProcess({ directory });
  await load.retryUnanswered(again.url);
  again.kill('SIGKILL');
  await again.ended;
  const engine = await reopen();
  await expectPromisesKept(engine, seed.orgId, load.requests);
  await engine.close();
  rmSync(directory, { recursive: true });
});
