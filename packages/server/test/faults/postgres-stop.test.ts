import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { ingestWith } from '../support/endpoints.ts';
import { startPostgres } from '../support/postgres.ts';
import { startProcess } from '../support/process.ts';
import { seedOrganisation, startTestService, temporaryDirectory } from '../support/service.ts';

test('a node whose database is away still stops in order: in time, and with exit code 0', async () => {
  const postgres = await startPostgres();
  const { url } = await postgres.freshDatabase();
  const settings = { SLUICE_DATABASE_URL: url };
  const seeding = await startTestService({ settings });
  const { apiKey } = await seedOrganisation(seeding.engine);
  await seeding.stop();

  const directory = temporaryDirectory();
  const server = await startProcess({ directory, settings });
  // Whatever was noted about the key is yet to be written when the database goes.
  expect((await ingestWith(server.url, apiKey)({ events: [{ type: 'order.created' }] })).status).toBe(202);
  await postgres.stopImmediately();
  await ingestWith(server.url, apiKey)({ events: [{ type: 'order.created' }] });

  const asked = performance.now();
  server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(performance.now() - asked).toBeLessThan(25_000);
  await postgres.remove();
  rmSync(directory, { recursive: true, force: true });
});
