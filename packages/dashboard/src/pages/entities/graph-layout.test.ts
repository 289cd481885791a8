import { expect, test } from 'bun:test';
import { graphKey, placeEntities, reachedFrom } from './graph-layout.ts';

const entity = (external_id: string) => ({ kind: 'user', external_id });
const edge = (from: string, to: string) => ({ from: entity(from), to: entity(to) });

test('the entity in question stands in the middle, and each other in a place of its own', () => {
  const names = ['a', 'b', 'c', 'd', 'e'].map(entity);
  const places = placeEntities(
    names,
    [edge('a', 'b'), edge('c', 'a'), edge('c', 'd'), edge('e', 'e')],
    entity('a'),
  );
  expect(places.get(graphKey(entity('a')))).toEqual({ x: expect.closeTo(0), y: expect.closeTo(0) });
  expect(new Set([...places.values()].map(({ x, y }) => `${Math.round(x)} ${Math.round(y)}`)).size).toBe(5);
});

test('who is further away is drawn further out', () => {
  const names = ['a', 'b', 'c'].map(entity);
  const places = placeEntities(names, [edge('a', 'b'), edge('b', 'c')], entity('a'));
  const away = (name: string) => Math.abs(places.get(graphKey(entity(name)))?.x ?? 0);
  expect(away('b')).toBeLessThan(away('c'));
});

test('what no edge leads to any more is not reached, nor are the edges beyond', () => {
  const names = ['a', 'b', 'c', 'd'].map(entity);
  expect(reachedFrom(entity('a'), names, [edge('b', 'a'), edge('c', 'd')])).toEqual({
    nodes: ['a', 'b'].map(entity),
    edges: [edge('b', 'a')],
  });
  // Of a–b–c, once a–b is gone.
  expect(reachedFrom(entity('a'), names, [edge('b', 'c')])).toEqual({ nodes: [entity('a')], edges: [] });
});

test('hundreds of neighbours do not lie on one another', () => {
  const names = ['middle', ...Array.from({ length: 300 }, (_, n) => `n${n}`)].map(entity);
  const places = placeEntities(
    names,
    names.slice(1).map(to => ({ from: entity('middle'), to })),
    entity('middle'),
  );
  const [one, two] = [places.get(graphKey(entity('n0'))), places.get(graphKey(entity('n1')))];
  expect(Math.hypot((one?.x ?? 0) - (two?.x ?? 0), (one?.y ?? 0) - (two?.y ?? 0))).toBeGreaterThan(100);
});
