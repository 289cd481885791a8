import { expect, test } from 'bun:test';
import type { MapRecord } from '@sluice/contract/dashboard-overview';
import { placeNodes } from './map-layout.ts';
import { drawMap } from './map-parts.ts';

const none = { count: 0, more: false };
const some = (count: number) => ({ count, more: false });

const map: MapRecord = {
  sources: [{ id: 's', name: 'Shop', kind: 'webhook', enabled: true, total: 1_234, waiting: some(12) }],
  pipelines: [
    { id: 'p', name: 'Orders', enabled: false, total: 1, waiting: some(5), dead: some(2) },
    { id: 'q', name: 'Returns', enabled: true, total: 9, waiting: none, dead: none },
    { id: 'r', name: 'Refunds', enabled: true, total: 0, waiting: { count: 0, more: true }, dead: none },
  ],
  destinations: [
    {
      id: 'd',
      name: 'Inbox',
      kind: 'inbox',
      state: 'down',
      total: 0,
      waiting: none,
      dead: none,
    },
    {
      id: 'e',
      name: 'Chat',
      kind: 'slack',
      state: 'paused',
      total: 0,
      waiting: some(3),
      dead: none,
    },
    {
      id: 'f',
      name: 'Mail',
      kind: 'email',
      state: 'active',
      total: 9,
      waiting: { count: 1_000, more: true },
      dead: some(1),
    },
    {
      id: 'g',
      name: 'Hook',
      kind: 'webhook',
      state: 'failing',
      total: 4,
      waiting: some(1),
      dead: none,
    },
  ],
  edges: [
    { from: 's', to: 'p', total: 100, per_minute: 2.5, dead: some(2) },
    { from: 'p', to: 'd', total: 7, per_minute: 0, dead: none },
    { from: 'p', to: 'e', total: 0, per_minute: 0, dead: none },
    { from: 'p', to: 'f', total: 25, per_minute: 0, dead: some(1) },
    // What another pipeline sends there arrives.
    { from: 'q', to: 'f', total: 9, per_minute: 0, dead: none },
    { from: 's', to: 'g', total: 4, per_minute: 0, dead: none },
    { from: 'gone', to: 'p', total: 3, per_minute: 0, dead: none },
  ],
};

test('parts say what they are, what they did, what waits and died there, and what keeps them from it', () => {
  const { nodes } = drawMap(map, placeNodes(map), '1h');
  expect(nodes.map(({ data }) => [data.name, data.note, data.waits, data.died, data.state])).toEqual([
    ['Shop', 'webhook · 1,234 events', '12 unprocessed', '', null],
    ['Orders', 'pipeline · 1 event', '5 retrying', '2 failed', 'disabled'],
    ['Returns', 'pipeline · 9 events', '', '', null],
    ['Refunds', 'pipeline', '0+ retrying', '', null],
    ['Inbox', 'inbox', '', '', 'down'],
    ['Chat', 'slack', '3 held', '', 'paused'],
    ['Mail', 'email · 9 delivered', '1,000+ waiting', '1 dead', null],
    ['Hook', 'webhook · 4 delivered', '1 waiting', '', 'failing'],
  ]);
});

test('arrows show the rate of now, else what went along them, else nothing, and are red where their own dies', () => {
  const { edges } = drawMap(map, placeNodes(map), '24h');
  expect(edges.map(({ id, data, animated, className }) => [id, data?.label, animated, className])).toEqual([
    ['s>p', '2.5/min', true, 'dying'],
    ['p>d', '7 in 24h', false, 'dying'],
    ['p>e', '', false, 'closed'],
    ['p>f', '25 in 24h', false, 'dying'],
    ['q>f', '9 in 24h', false, 'open'],
    ['s>g', '4 in 24h', false, 'open'],
  ]);
  expect(edges[3]?.data?.title).toBe('Orders to Mail, 25 in 24h, 1 dead');
  expect(drawMap(map, placeNodes(map), '').edges[1]?.data?.label).toBe('7');
});

test('an arrow is the wider the more goes along it', () => {
  const widths = drawMap(map, placeNodes(map), '1h').edges.map(({ style }) => Number(style?.strokeWidth));
  const [most = 0, little = 0, nothing = 0, more = 0] = widths;
  expect(most).toBe(7);
  expect([most > more, more > little, little > nothing]).toEqual([true, true, true]);
});
