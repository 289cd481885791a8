import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { ingestWith } from '../support/endpoints.ts';
import { refusedStart, startProcess } from '../support/process.ts';
import { prepareDirectory } from './prepare.ts';

test('a second process on the data directory refuses and says why; the first goes on; a kill leaves no lock', async () => {
  const { directory, seed } = await prepareDirectory();
  const body = '{"events":[{"type":"a"}]}';
  const first = await startProcess({ directory });

  const second = await refusedStart({ directory });
  expect(second.end).toBe(1);
  expect(second.output).toContain(`Another Sluice process is using the data directory ${directory}`);
  expect(second.output.trim().split('\n')).toHaveLength(1);
  expect((await ingestWith(first.url, seed.apiKey)(body)).status).toBe(202);

  first.kill('SIGKILL');
  await first.ended;
  const third = await startProcess({ directory });
  expect((await ingestWith(third.url, seed.apiKey)(body)).status).toBe(202);
  third.kill('SIGTERM');
  expect(await third.ended).toBe(0);
  const fourth = await startProcess({ directory });
  fourth.kill('SIGTERM');
  expect(await fourth.ended).toBe(0);
  rmSync(directory, { recursive: true });
});

test('of several that start at once exactly one serves', async () => {
  const { directory } = await prepareDirectory();
  const starts = await Promise.allSettled(Array.from({ length: 4 }, () => startProcess({ directory })));
  const serving = starts.flatMap(start => (start.status === 'fulfilled' ? [start.value] : []));
  expect(serving).toHaveLength(1);
  for (const server of serving) {
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  }
  rmSync(directory, { recursive: true });
});
