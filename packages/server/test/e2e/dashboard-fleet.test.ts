import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { NodesRecord } from '@sluice/contract/dashboard-nodes';
import type { HealthRecord } from '@sluice/contract/dashboard-overview';
import { VERSION } from '../../src/core/version.ts';
import { type Browser, dataOf, join, logIn, setUp, stranger } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService, temporaryDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Who sees the nodes of the installation: those of the organisation that was made first. */

let directory: string;
let service: TestService;
let owner: Browser;
let other: Browser;
beforeAll(async () => {
  directory = temporaryDirectory();
  service = await startTestService({ directory });
  owner = await setUp(service);
  other = await stranger(service.url, owner, 'stranger@example.com');
});
afterAll(async () => {
  await service.stop();
  rmSync(directory, { recursive: true });
});

const nodesOf = async (browser: Browser) => dataOf<NodesRecord>(await browser.get('/nodes'));
const showsNodes = async (browser: Browser) => dataOf<HealthRecord>(await browser.get('/health')).shows_nodes;

test('on SQLite there is one node, which is this one, and no database server', async () => {
  await until(async () => (await nodesOf(owner)).nodes.length > 0, 'The node does not join.');
  const { nodes, database } = await nodesOf(owner);
  expect(database).toBeNull();
  expect(nodes).toMatchObject([
    {
      host: hostname(),
      version: VERSION,
      roles: ['ingest', 'process', 'deliver', 'dashboard'],
      is_this_one: true,
      per_second: { accepted: 0, processed: 0, delivered: 0 },
      claimed: { events: 0, deliveries: 0, jobs: 0 },
    },
  ]);
  const [node] = nodes;
  expect(Date.parse(node?.last_heard_at ?? '')).toBeGreaterThanOrEqual(Date.parse(node?.since ?? '') - 1_000);
});

test('every role of the operator’s organisation sees the nodes, and no other organisation does', async () => {
  const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  expect((await nodesOf(viewer)).nodes).toHaveLength(1);
  expect([await showsNodes(viewer), await showsNodes(other)]).toEqual([true, false]);
  expectRefused(await other.get('/nodes'), { status: 403, code: 'forbidden' });
});

test('when the operator’s organisation is deleted, no other takes its place', async () => {
  const { organisation } = dataOf<WhoAmI>(await owner.get('/session'));
  await owner.post('/organisations', { name: 'The second' });
  expect((await owner.delete(`/organisations/${organisation.id}`)).status).toBe(200);
  expectRefused(await other.get('/nodes'), { status: 403, code: 'forbidden' });
  await service.stop();
  service = await startTestService({ directory });
  const again = await logIn(service.url, 'stranger@example.com');
  expectRefused(await again.get('/nodes'), { status: 403, code: 'forbidden' });
});
