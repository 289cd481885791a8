import { expect, test } from 'bun:test';
import type { MapRecord } from '@sluice/contract/dashboard-overview';
import { NODE_HEIGHT, placeNodes } from './map-layout.ts';

const none = { count: 0, more: false };
const source = (id: string) => ({
  id,
  name: id,
  total: 0,
  kind: 'sdk' as const,
  enabled: true,
  waiting: none,
});
const pipeline = (id: string) => ({ id, name: id, total: 0, enabled: true, waiting: none, dead: none });
const destination = (id: string) => ({
  id,
  name: id,
  total: 0,
  kind: 'inbox',
  state: 'active' as const,
  waiting: none,
  dead: none,
});
const edge = (from: string, to: string) => ({ from, to, total: 0, per_minute: 0, dead: none });

const many = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

test('everything has a place of its own, in its column', () => {
  const map: MapRecord = {
    sources: many(14, 's').map(source),
    pipelines: many(9, 'p').map(pipeline),
    destinations: many(12, 'd').map(destination),
    edges: many(9, '').flatMap(n => [edge(`s${n}`, `p${n}`), edge(`p${n}`, `d${n}`)]),
  };
  const { at, height } = placeNodes(map);
  expect(at.size).toBe(35);
  const places = [...at.values()];
  expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(35);
  expect(new Set(places.map(({ x }) => x)).size).toBe(3);
  for (const { y } of places) expect(y >= 0 && y + NODE_HEIGHT <= height).toBe(true);
});

test('what belongs to a pipeline stands beside it, and what belongs to none at the end', () => {
  const { at } = placeNodes({
    sources: [source('alone'), source('second'), source('first')],
    pipelines: [pipeline('a'), pipeline('b')],
    destinations: [destination('of b'), destination('of a')],
    edges: [edge('first', 'a'), edge('second', 'b'), edge('a', 'of a'), edge('b', 'of b')],
  });
  const y = (id: string) => at.get(id)?.y ?? -1;
  expect(y('first')).toBeLessThan(y('second'));
  expect(y('second')).toBeLessThan(y('alone'));
  expect(y('of a')).toBeLessThan(y('of b'));
});

test('an empty map has no places', () => {
  expect(placeNodes({ sources: [], pipelines: [], destinations: [], edges: [] }).at.size).toBe(0);
});
