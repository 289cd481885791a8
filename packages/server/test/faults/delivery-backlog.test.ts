import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { residentMegabytes } from '../bench/servers.ts';
import { OPEN_TO_LOOPBACK, routeAllTo } from '../support/delivery-process.ts';
import { ingestWith } from '../support/endpoints.ts';
import { startProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { seedOrganisation } from '../support/service.ts';
import { until } from '../support/until.ts';
import { prepareDirectory } from './prepare.ts';

const PENDING = 1_000_000;

/** So many deliveries of one event, straight into the file. */
function pileUp(directory: string, orgId: string, destinationId: string): void {
  const database = new Database(join(directory, 'sluice.db'));
  database.run('PRAGMA synchronous = OFF');
  database.run('BEGIN');
  const now = Date.now();
  database.run(
    `INSERT INTO events (id, org_id, state, type, payload, happened_at, received_at)
     VALUES ('evt_backlog', '${orgId}', 'processed', 'backlog', '{}', ${now}, ${now})`,
  );
  database.run(
    `INSERT INTO runs (id, org_id, event_id, pipeline_id, pipeline_name, version, outcome, output, trace,
       replay_job_id, created_at)
     VALUES ('run_backlog', '${orgId}', 'evt_backlog', 'pipe_1', 'All', 1, 'routed',
       '{"payload":{},"labels":{}}', '[]', '', ${now})`,
  );
  database.run(
    `WITH RECURSIVE count (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < ${PENDING})
     INSERT INTO deliveries (id, org_id, event_id, run_id, pipeline_id, pipeline_name, destination_id,
       destination_name, destination_kind, state, attempt, budget_from, due_at, created_at)
     SELECT 'dlv_' || printf('%026d', n), '${orgId}', 'evt_backlog', 'run_backlog', 'pipe_1', 'All',
       '${destinationId}', 'Receiver', 'webhook', 'pending', 0, 0, ${now}, ${now} FROM count`,
  );
  database.run('COMMIT');
  database.close();
}

test('one million pending deliveries at the start: ready soon, memory bounded, others served at once', async () => {
  const backlog = startReceiver(() => new Promise<Response>(() => {}));
  const quick = startReceiver();
  const { directory, seed, reopen } = await prepareDirectory();
  const engine = await reopen();
  const other = await seedOrganisation(engine);
  const full = await routeAllTo(engine, seed, backlog.url, { concurrency: 1_000, timeout_s: 300 });
  await routeAllTo(engine, other, quick.url);
  await engine.close();
  pileUp(directory, seed.orgId, full.id);

  const server = await startProcess({ directory, settings: OPEN_TO_LOOPBACK });
  await until(async () => (await fetch(`${server.url}/readyz`)).ok, 'It did not become ready.');
  const sent = performance.now();
  await ingestWith(server.url, other.apiKey)({ events: [{ type: 'urgent' }] });
  await until(() => quick.requests.length === 1, 'The other organisation was not served.');
  expect(performance.now() - sent).toBeLessThan(25_000);
  await until(() => backlog.requests.length > 100, 'The backlog was not begun.');
  expect(residentMegabytes(server.pid)).toBeLessThan(400);
  server.kill('SIGKILL');
  await server.ended;
  await backlog.stop();
  await quick.stop();
  rmSync(directory, { recursive: true });
});
