import { expect, test } from 'bun:test';
import { destinationDeps, prepareFrom, sampleDelivery } from '../../../test/support/delivery.ts';
import { threadMs } from '../../core/expressions/cel/budget.ts';
import { NoLongerWanted } from '../../core/http/outgoing.ts';
import type { DestinationKind } from '../destination.ts';
import { discordDestination } from '../destinations/discord.ts';
import { notionDestination } from '../destinations/notion.ts';
import type { GuardedClient } from '../guarded-client/client.ts';

/** Answers at once, so that nothing happens but what is done on this thread. */
const client = {
  request: async () => ({ kind: 'answered', status: 200, headers: new Headers(), body: '{}' }),
} as unknown as GuardedClient;

const AT_ONCE = 8;
const url = 'https://example.com/hook';
const digits = JSON.stringify({ n: Array.from({ length: 500_000 }, (_, i) => i % 10) });
const few = JSON.stringify({ n: Array.from({ length: 2_000 }, (_, i) => i) });
const names = JSON.stringify(
  Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`k${i.toString(36)}`, 1])),
);
const search = 'payload.n.exists(a, payload.n.exists(b, payload.n.exists(c, a + b + c < 0)))';

/** In how many of the thread's turns some of it was sent. */
async function turnsOf(sending: readonly (() => Promise<unknown>)[]): Promise<number> {
  let isOver = false;
  let turn = 0;
  const sentIn = new Set<number>();
  const watching = (async () => {
    for (; !isOver; turn++) await new Promise(resolve => setImmediate(resolve));
  })();
  await Promise.all(sending.map(send => send().then(() => sentIn.add(turn))));
  isOver = true;
  await watching;
  return sentIn.size;
}

test.each([
  ['a card of the largest payload', discordDestination, { url }, digits],
  ['a card of as many fields as fit', discordDestination, { url }, names],
  ['the largest payload in a text', discordDestination, { url, text: '{{ payload }}' }, names],
  ['a search that takes forever', discordDestination, { url, text: `{{ ${search} }}` }, few],
  [
    'the largest payload in several properties',
    notionDestination,
    {
      token: 'ntn_0',
      database_id: 'd9824bdc84454327be8b5b47500af6ce',
      properties: { A: '$event.payload', B: '$event.payload' },
    },
    digits,
  ],
] as [string, DestinationKind, object, string][])(
  'many at once let others have their turn in between: %s',
  async (_, kind, config, payload) => {
    const destination = prepareFrom(kind, config, destinationDeps({ client }));
    const deliveries = Array.from({ length: AT_ONCE }, () => sampleDelivery({ payload }));
    const turns = await turnsOf(deliveries.map(delivery => () => destination.send(delivery)));
    expect(turns).toBe(AT_ONCE);
  },
);

test.each([
  ['discord', discordDestination, { url }],
  ['notion', notionDestination, { token: 'ntn_0', database_id: 'd9824bdc84454327be8b5b47500af6ce' }],
] as [string, DestinationKind, object][])(
  'what nobody wants any more once it is rendered does not go out: %s',
  async (_, kind, config) => {
    let requests = 0;
    const counting = { request: () => Promise.reject(requests++) } as unknown as GuardedClient;
    const destination = prepareFrom(kind, config, destinationDeps({ client: counting }));
    const unwanted = sampleDelivery({ isStillWanted: async () => false });
    expect(await destination.send(unwanted).catch((error: unknown) => error)).toBeInstanceOf(NoLongerWanted);
    expect(requests).toBe(0);
  },
);

test('a search through a text that repeats itself is cut before anybody who waits would notice', async () => {
  const doubled = (levels: number, body: string) =>
    `${Array.from({ length: levels }, (_, i) => `cel.bind(v${i + 1}, v${i} + v${i}, `).join('')}${body}${')'.repeat(levels)}`;
  const search = doubled(15, 'cel.bind(w, v13 + "ac" + v13, payload.turns.exists(i, v15.contains(w)))');
  const text = `{{ cel.bind(v0, "b", ${search}) }}`;
  const destination = prepareFrom(discordDestination, { url, text }, destinationDeps({ client }));
  const payload = JSON.stringify({ turns: Array.from({ length: 80 }, (_, i) => i) });
  const began = threadMs();
  const result = await destination.send(sampleDelivery({ payload }));
  // Some five milliseconds; the engine's own search takes seconds.
  expect(threadMs() - began).toBeLessThan(500);
  expect(result).toMatchObject({ outcome: 'failed', code: 'too_large' });
});

test('a template that was stored with a part that has no value is sent without it', async () => {
  const sent: string[] = [];
  const keeping = {
    ...client,
    request: async (request: { body: string }) => {
      sent.push(request.body);
      return { kind: 'answered', status: 200, headers: new Headers(), body: '{}' };
    },
  } as unknown as GuardedClient;
  const text = 'for {{ duration("1d") }}.';
  const destination = prepareFrom(discordDestination, { url, text }, destinationDeps({ client: keeping }));
  expect(await destination.send(sampleDelivery())).toMatchObject({ outcome: 'delivered' });
  expect(sent).toEqual([expect.stringContaining('for .')]);
});

test('what waits of one organisation holds up no other', async () => {
  const destination = prepareFrom(discordDestination, { url }, destinationDeps({ client }));
  const order: string[] = [];
  const send = (orgId: string) =>
    destination.send(sampleDelivery({ orgId, payload: digits })).then(() => order.push(orgId));
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'a', 'b'].map(send));
  expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'a', 'a']);
});
