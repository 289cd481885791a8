import { expect, test } from 'bun:test';
import { placeNodes } from './map-layout.ts';
import { drawMap } from './map-parts.ts';

const map = {
  sources: [{ id: 's', name: 'Shop', kind: 'webhook' as const, enabled: true, total: 1_234 }],
  pipelines: [{ id: 'p', name: 'Orders', enabled: false, total: 1 }],
  destinations: [
    { id: 'd', name: 'Inbox', kind: 'inbox', paused: true, is_down: true, total: 0 },
    { id: 'e', name: 'Chat', kind: 'slack', paused: true, is_down: false, total: 0 },
  ],
  edges: [
    { from: 's', to: 'p', total: 100, per_minute: 2.5 },
    { from: 'p', to: 'd', total: 7, per_minute: 0 },
    { from: 'p', to: 'e', total: 0, per_minute: 0 },
    { from: 'gone', to: 'p', total: 3, per_minute: 0 },
  ],
};

test('parts say what they are, what they did, and what keeps them from it', () => {
  const { nodes } = drawMap(map, placeNodes(map), '1h');
  expect(nodes.map(({ data }) => [data.name, data.note, data.state])).toEqual([
    ['Shop', 'webhook · 1,234 events', null],
    ['Orders', 'pipeline · 1 run', 'disabled'],
    ['Inbox', 'inbox', 'down'],
    ['Chat', 'slack', 'paused'],
  ]);
});

test('arrows show the rate of now, else what went along them, else nothing', () => {
  const { edges } = drawMap(map, placeNodes(map), '24h');
  expect(edges.map(({ id, data, animated }) => [id, data?.label, animated])).toEqual([
    ['s>p', '2.5/min', true],
    ['p>d', '7 in 24h', false],
    ['p>e', '', false],
  ]);
});
