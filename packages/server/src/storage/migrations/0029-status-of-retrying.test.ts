import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { statusOfRetrying } from './0029-status-of-retrying.ts';
import { migrations } from './index.ts';

test('what is retried has the status of its last attempt; what was never sent, ended or recorded with one stays as it is', () => {
  const database = new Database(':memory:');
  const run = (statements: readonly string[]) => {
    for (const statement of statements) database.run(statement);
  };
  const before = migrations.slice(0, migrations.indexOf(statusOfRetrying)).flat();
  run(before.filter(statement => !statement.startsWith('ALTER INDEX')));
  const deliveries = [
    ['dlv_1', 'retrying', "'http_5xx'", 'NULL'],
    ['dlv_2', 'delivering', "'http_5xx'", 'NULL'],
    ['dlv_3', 'pending', 'NULL', 'NULL'],
    ['dlv_4', 'delivered', 'NULL', 'NULL'],
    ['dlv_5', 'retrying', "'http_5xx'", '504'],
  ];
  for (const [id, state, code, status] of deliveries) {
    run([
      `INSERT INTO deliveries (id, org_id, event_id, run_id, pipeline_id, pipeline_name, destination_id,
         destination_name, destination_kind, state, attempt, budget_from, due_at, created_at, code, attempt_status)
       VALUES ('${id}', 'org', 'evt', 'run_${id}', '', '', 'dst', '', '', '${state}', 2, 0, 0, 0, ${code}, ${status})`,
      ...[1, 2].map(
        n => `INSERT INTO attempts (org_id, delivery_id, n, at, duration_ms, status, code, message, request, response)
              VALUES ('org', '${id}', ${n}, 0, 0, ${500 + n}, '', '', '', '')`,
      ),
    ]);
  }
  run(statusOfRetrying);
  const rows = database.query('SELECT attempt_status AS status FROM deliveries ORDER BY id').all();
  expect(rows).toEqual([502, 502, null, null, 504].map(status => ({ status })));
  database.close();
});
