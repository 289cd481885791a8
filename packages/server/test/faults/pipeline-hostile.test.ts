import { afterAll, beforeAll, expect, test } from 'bun:test';
import { idTime } from '../../src/core/ids.ts';
import { type Browser, setUp, stranger } from '../support/dashboard.ts';
import { makePipeline, makeWebhook, settled } from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Browser;
beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
});
afterAll(() => service.stop());

const filter = (condition: string) => ({ kind: 'filter.match', config: { condition } });

const items = Array.from({ length: 3_000 }, (_, n) => n);
const hostile = [
  {
    what: 'conditions that take forever',
    steps: [filter('payload.n.all(a, payload.n.all(b, payload.n.all(c, a + b + c >= 0)))')],
    payload: { n: items },
    events: 10,
  },
  {
    what: 'redactions of several megabytes that could be anything',
    steps: [
      {
        kind: 'transform',
        config: { set: { again: '$event.payload.texts', more: '$event.payload.texts' } },
      },
      { kind: 'redact.pii', config: { region: 'US' } },
    ],
    payload: { texts: Array(38_000).fill('1 '.repeat(12)) },
    events: 4,
  },
];

for (const [n, { what, steps, payload, events }] of hostile.entries())
  test(`${what} are cut one by one, and hold up nobody else`, async () => {
    const hook = await makeWebhook(service.url, owner);
    await makePipeline(owner, { sources: [hook.id], steps });
    const other = await stranger(service.url, owner, `other${n}@example.com`);
    const theirs = await makeWebhook(service.url, other);
    await makePipeline(other, { sources: [theirs.id], steps: [filter('payload.x == 1')] });

    const sent = await Promise.all(Array.from({ length: events }, () => hook.send(payload)));
    const harmless: string[] = [];
    const tookMs: number[] = [];
    for (let i = 0; i < 40; i++) {
      const began = performance.now();
      harmless.push(await theirs.send({ x: 1 }));
      tookMs.push(performance.now() - began);
    }
    // What blocked the main thread would have blocked it for a quarter of a second, over and over.
    expect(tookMs.toSorted((a, b) => a - b)[35]).toBeLessThan(200);
    const runOf = async (browser: Browser, id: string) => (await settled(browser, id)).runs[0];
    const [theirRuns, ownRuns] = [
      await Promise.all(harmless.map(id => runOf(other, id))),
      await Promise.all(sent.map(id => runOf(owner, id))),
    ];
    for (const run of theirRuns) expect(run?.outcome).toBe('routed');
    for (const run of ownRuns) {
      // By its own budget; or, where the machine has no time for the thread itself, by whoever watches it.
      expect(run).toMatchObject({
        outcome: 'failed',
        step: steps.length - 1,
        reason: expect.stringMatching(/budget of|more work|made no progress/),
      });
    }
    // Most others have not waited until all of those were through; the last of them may have been sent later than that.
    const timesOf = (runs: typeof theirRuns) =>
      runs.map(run => idTime(run?.id ?? '')).toSorted((a, b) => a - b);
    expect(timesOf(theirRuns)[20]).toBeLessThan(timesOf(ownRuns).at(-1) ?? 0);
  });
