import { afterAll, beforeAll, expect, test } from 'bun:test';
import { threadMs } from '../../src/core/expressions/cel/budget.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

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

/** The longest that nothing else came to its turn on this thread, which the service is on too. */
async function longestStall(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  let longest = 0;
  const watching = (async () => {
    for (let last = threadMs(); !isOver; ) {
      await new Promise(resolve => setTimeout(resolve, 1));
      const now = threadMs();
      longest = Math.max(longest, now - last);
      last = now;
    }
  })();
  await work;
  isOver = true;
  await watching;
  return longest;
}

test('a template that asks too much ends its delivery at once, and holds nobody up', async () => {
  const search = 'payload.n.exists(a, payload.n.exists(b, payload.n.exists(c, a + b + c < 0)))';
  const { id } = await flow.destination({
    kind: 'discord',
    name: 'Chat',
    config: { url: `${receiver.url}/hook`, text: `{{ ${search} }}` },
    policy: { attempts: 5, schedule_s: [0, 0.01] },
  });
  await flow.routeTo({ id });
  const n = Array.from({ length: 2_000 }, (_, i) => i);
  const events = await Promise.all(Array.from({ length: 30 }, () => flow.send({ n })));
  const ended = (async () => {
    for (const event of events) {
      const dead = await flow.settled(event, 'dead');
      expect(dead).toMatchObject({ attempt: 1, code: 'too_large' });
      expect(dead.attempts[0]?.message).toStartWith('A template could not be filled in.');
    }
  })();
  // Thirty times a quarter of a second would be more than seven.
  expect(await longestStall(ended)).toBeLessThan(2_000);
  expect(receiver.requests).toEqual([]);
});
