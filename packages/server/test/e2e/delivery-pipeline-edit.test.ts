import { afterAll, beforeAll, expect, test } from 'bun:test';
import { dataOf } from '../support/dashboard.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

let flow: Flow;
let receiver: Receiver;

beforeAll(async () => {
  flow = await startFlow();
  receiver = startReceiver();
});
afterAll(async () => {
  await flow.stop();
  await receiver.stop();
});

test('a pipeline that is edited while events are in flight: each says which version it saw, and was sent as that left it', async () => {
  const { id } = await flow.destination({ kind: 'webhook', name: 'x', config: { url: receiver.url } });
  const { id: source } = dataOf<{ id: string }>(
    await flow.browser.post('/sources', { kind: 'sdk', name: 'Edited', match: 'edited' }),
  );
  const steps = (version: number) => [{ kind: 'transform', config: { set: { version } } }];
  const pipeline = dataOf<{ id: string }>(
    await flow.browser.post('/pipelines', {
      name: 'Edited',
      sources: [source],
      steps: steps(1),
      destinations: [{ id }],
      enabled: true,
    }),
  );

  const events: Promise<string>[] = [];
  for (let version = 1; version <= 5; version++) {
    if (version > 1) {
      const edited = flow.browser.patch(`/pipelines/${pipeline.id}`, { steps: steps(version) });
      events.push(...Array.from({ length: 5 }, () => flow.send({}, 'edited')));
      expect((await edited).status).toBe(200);
    }
    events.push(...Array.from({ length: 5 }, () => flow.send({}, 'edited')));
  }
  const ids = await Promise.all(events);
  await until(() => receiver.requests.length === ids.length, 'They did not all arrive.');

  const sentBy = new Map(
    receiver.requests.map(({ headers, body }) => [
      headers.get('x-service-event-id') ?? '',
      (JSON.parse(body) as { payload: { version: number } }).payload.version,
    ]),
  );
  const seen = new Set<number>();
  for (const event of ids) {
    const [run, ...more] = await flow.service.engine.eventQueue.listRuns(flow.orgId, event);
    expect(more).toEqual([]);
    expect(sentBy.get(event)).toBe(run?.version ?? -1);
    seen.add(run?.version ?? -1);
  }
  expect(seen).toContain(5);
});
