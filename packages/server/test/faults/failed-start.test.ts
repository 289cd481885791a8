import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { aClaimInput } from '../contract/storage/pipeline-samples.ts';
import { ingestWith } from '../support/endpoints.ts';
import { refusedStart, startProcess } from '../support/process.ts';
import { prepareDirectory } from './prepare.ts';

/** A port that somebody else listens on. */
async function takenPort(): Promise<{ readonly port: number; free(): void }> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens on no port.');
  return { port: address.port, free: () => void server.close() };
}

test('a start that finds its port taken leaves no claims behind', async () => {
  const { directory, seed, reopen } = await prepareDirectory();
  const ingesting = await startProcess({ directory, settings: { SLUICE_ROLES: 'ingest' } });
  const ingest = ingestWith(ingesting.url, seed.apiKey);
  const events = Array.from({ length: 300 }, () => ({ type: 'order.created' }));
  expect((await ingest({ events })).status).toBe(202);
  ingesting.kill('SIGTERM');
  await ingesting.ended;

  const { port, free } = await takenPort();
  for (let starts = 0; starts < 3; starts++) {
    const { end, output } = await refusedStart({ directory, settings: { SLUICE_PORT: String(port) } });
    expect(end).toBe(1);
    expect(output).toContain('is in use');
  }
  free();

  const engine = await reopen();
  const { events: claimed } = await engine.eventQueue.claimEvents(
    aClaimInput({ now: Date.now(), limit: 1_000 }),
  );
  expect(claimed.map(({ tries }) => tries)).toEqual(Array(300).fill(1));
  await engine.close();
  rmSync(directory, { recursive: true });
});
