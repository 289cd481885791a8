import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import { days } from '../../src/core/clock.ts';
import { idFloor, idTime } from '../../src/core/ids.ts';
import { dataOf, logIn, setUp } from '../support/dashboard.ts';
import { startTestService, type TestService, temporaryDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

test('a running service removes events by the retention that was set for their organisation', async () => {
  const directory = temporaryDirectory();
  const before = await startTestService({ directory });
  const owner = await setUp(before);
  const { id: orgId } = dataOf<WhoAmI>(await owner.get('/session')).organisation;
  const [old, young] = [idFloor('evt', Date.now() - days(4)), idFloor('evt', Date.now() - days(2))];
  for (const id of [old, young]) await receive(before, orgId, id);
  // What has not been processed yet would stay.
  await until(
    async () => dataOf<{ state: string }>(await owner.get(`/events/${old}`)).state === 'unrouted',
    'the old event waits',
  );
  await owner.patch(`/organisations/${orgId}`, { retention_days: 3 });
  await before.stop();

  const after = await startTestService({ directory });
  const again = await logIn(after.url, 'owner@example.com');
  await until(async () => (await again.get(`/events/${old}`)).status === 404, 'the old event is still there');
  expect((await again.get(`/events/${young}`)).status).toBe(200);
  await after.stop();
  rmSync(directory, { recursive: true });
});

/** Straight to storage: an ingest endpoint would give it the id of this moment. */
async function receive({ engine }: TestService, orgId: string, id: string): Promise<void> {
  const event = {
    id,
    type: 'x',
    icon: null,
    payload: '{}',
    senderId: null,
    entityKind: null,
    entityExternalId: null,
    happenedAt: idTime(id),
  };
  await engine.journal.append([
    { orgId, sourceId: null, receivedAt: idTime(id), events: [event], idempotency: null },
  ]);
}

test('one node enforces all of a source’s rate, also just after a restart', async () => {
  const directory = temporaryDirectory();
  for (let i = 0; i < 2; i++) {
    const service = await startTestService({ directory });
    await until(
      async () => (await service.engine.upkeep.listClaims()).nodes.length === 1,
      'this node is counted twice',
    );
    await service.stop();
  }
  rmSync(directory, { recursive: true });
});
