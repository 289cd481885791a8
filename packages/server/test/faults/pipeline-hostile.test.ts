import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Browser, listOf, setUp, stranger } from '../support/dashboard.ts';
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

test('conditions that take forever are cut one by one, and hold up nobody else', async () => {
  const hook = await makeWebhook(service.url, owner);
  await makePipeline(owner, {
    sources: [hook.id],
    steps: [filter('payload.n.all(a, payload.n.all(b, payload.n.all(c, a + b + c >= 0)))')],
  });
  const other = await stranger(service.url, owner, 'other@example.com');
  const theirs = await makeWebhook(service.url, other);
  await makePipeline(other, { sources: [theirs.id], steps: [filter('payload.x == 1')] });

  const items = Array.from({ length: 3_000 }, (_, n) => n);
  const hostile = await Promise.all(Array.from({ length: 40 }, () => hook.send({ n: items })));
  const harmless = await Promise.all(Array.from({ length: 20 }, () => theirs.send({ x: 1 })));
  for (const id of harmless) expect((await settled(other, id)).state).toBe('processed');
  // Forty quarters of a second have not gone by for them: most of the others still wait.
  const waiting = listOf(await owner.get('/events?state=accepted')).data;
  expect(waiting.length).toBeGreaterThan(0);
  for (const id of hostile) {
    const event = await settled(owner, id, 60_000);
    // By its own budget; or, where the machine has no time for the thread itself, by whoever watches it.
    expect(event.runs[0]).toMatchObject({
      outcome: 'failed',
      step: 0,
      reason: expect.stringMatching(/250 ms|did not get on/),
    });
  }
}, 120_000);
