import { expect, test } from 'bun:test';
import { seedOrganisation, startTestService } from '../support/service.ts';

test('a node whose roles leave out ingest takes no events, and says so', async () => {
  const node = await startTestService({ settings: { SLUICE_ROLES: 'process,deliver,dashboard' } });
  const { apiKey, orgId } = await seedOrganisation(node.engine);
  const response = await fetch(`${node.url}/v1/ingest`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: '{"events":[{"type":"order.created"}]}',
  });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
  const { events } = await node.engine.journal.listEvents(
    orgId,
    {},
    { limit: 1, below: null, budgetMs: 1_000 },
  );
  expect(events).toEqual([]);
  await node.stop();
});

test('a node whose roles leave out the dashboard answers no private calls', async () => {
  const node = await startTestService({ settings: { SLUICE_ROLES: 'ingest' } });
  expect((await fetch(`${node.url}/dashboard/api/session`)).status).toBe(404);
  await node.stop();
});
