import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ClusteredNodes, startClusteredNodes } from '../support/clustered-nodes.ts';
import { ingestWith } from '../support/endpoints.ts';
import { startTestService } from '../support/service.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

/** Losses of servers and lines that take long to show: `npm run failover` runs these tests, `npm test` does not. */
let subject: ClusteredNodes;
beforeAll(async () => {
  subject = await startClusteredNodes();
});
afterAll(() => subject.stop());

test('with one standby away all goes on', async () => {
  const { standbys } = await subject.primaryAndStandbys();
  await subject.underLoad(async accepted => {
    await standbys[0]?.kill();
    await accepted(50);
  });
  await subject.bringBack(standbys[0]?.name ?? '');
});

test('with both standbys away nothing is acknowledged until one is back, and senders have 503', async () => {
  const { standbys } = await subject.primaryAndStandbys();
  await subject.underLoad(async (accepted, soFar) => {
    await Promise.all(standbys.map(standby => standby.kill()));
    const goneAt = performance.now();
    const refused = await Promise.all(Array.from({ length: 4 }, () => subject.send([{ type: 'alone' }])));
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    const sentSince = soFar.filter(({ at, tookMs }) => at - tookMs > goneAt);
    expect(sentSince.filter(({ status }) => status === 202)).toEqual([]);
    await Promise.all(standbys.map(standby => standby.start()));
    await accepted(30);
  });
});

test('a node that is cut off from the primary answers 503, and goes on when the line is back', async () => {
  const proxies = await Promise.all(subject.cluster.members.map(({ port }) => startTcpProxy(port)));
  const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join();
  const url = subject.cluster.url(subject.database).replace(/@[^/]*/, `@${hosts}`);
  const node = await startTestService({
    settings: { SLUICE_DATABASE_URL: url, SLUICE_REQUIRE_REPLICAS: '1' },
  });
  const cutOff = () =>
    ingestWith(node.url, subject.seed.apiKey)({ events: [{ type: 'cut off', id: 'cut off' }] });
  const { primary } = await subject.primaryAndStandbys();
  const proxy = proxies[subject.cluster.members.indexOf(primary)];
  expect((await cutOff()).status).toBe(202);
  proxy?.cut();
  expect((await cutOff()).status).toBe(503);
  proxy?.restore();
  await until(async () => (await cutOff()).status === 202, 'It does not come back.');

  // The line stays cut, and the others go on without that server.
  proxy?.cut();
  await primary.kill();
  await subject.cluster.promote();
  await until(async () => (await cutOff()).status === 202, 'It does not find the new primary.');
  await node.stop();
  await Promise.all(proxies.map(({ stop }) => stop()));
  await subject.bringBack(primary.name);
});
