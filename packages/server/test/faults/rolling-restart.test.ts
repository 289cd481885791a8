import { expect, test } from 'bun:test';
import { freePort } from '../support/free-port.ts';
import { startLoadBalancer } from '../support/haproxy.ts';
import { createLoad, expectPromisesKept } from '../support/load.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startProcess } from '../support/process.ts';
import { seedOrganisation } from '../support/service.ts';
import { until } from '../support/until.ts';
import { newInstallation } from './prepare.ts';

/** More than ten times as long as HAProxy takes to notice, which asks every tenth of a second and twice. */
const DRAIN_SECONDS = 3;

test('two nodes are restarted in turn behind a load balancer, and no sender notices', async () => {
  const database = await freshDatabase();
  const installation = newInstallation(database.url);
  const engine = await installation.open();
  const seed = await seedOrganisation(engine);
  const load = createLoad(seed, await seed.source('hmac'));
  const start = (port: number) =>
    startProcess({
      directory: installation.directory,
      settings: {
        ...installation.settings,
        SLUICE_PORT: String(port),
        SLUICE_DRAIN_SECONDS: String(DRAIN_SECONDS),
      },
    });
  const nodes = await Promise.all((await Promise.all([0, 0].map(freePort))).map(start));
  const balancer = await startLoadBalancer(nodes.map(({ port }) => port));
  const untilUp = (count: number) =>
    until(async () => (await balancer.nodesUp()) === count, `Not ${count} nodes are up.`);
  await untilUp(2);

  const { answers, stop } = load.persist([balancer.url]);
  for (const [n, node] of nodes.entries()) {
    node.kill('SIGTERM');
    await untilUp(1);
    expect(await node.ended).toBe(0);
    nodes[n] = await start(node.port);
    await untilUp(2);
  }
  await stop();

  expect(answers.filter(({ status }) => status === 0 || status >= 500)).toEqual([]);
  expect(answers.filter(({ status }) => status === 202).length).toBeGreaterThan(100);
  await expectPromisesKept(engine, seed.orgId, load.requests);
  // How they end when they are told to was seen above.
  for (const node of nodes) node.kill('SIGKILL');
  await Promise.all(nodes.map(({ ended }) => ended));
  await balancer.stop();
  await engine.close();
  await database.drop();
  installation.remove();
});
