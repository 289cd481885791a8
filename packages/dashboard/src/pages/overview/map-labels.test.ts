import { expect, test } from 'bun:test';
import { curvesOf, pointOn } from './map-curves.ts';
import { LABEL_HEIGHT, labelWidth, overlap, placeLabels } from './map-labels.ts';
import { placeNodes } from './map-layout.ts';

/** A map of so many pipelines, each with a source of its own and so many destinations. */
function arrowsOf(pipelines: number, destinations: number, each: number) {
  const waiting = { count: 0, more: false };
  const node = (id: string) => ({ id, name: id, total: 0, enabled: true, waiting, dead: waiting });
  const many = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, n) => node(`${prefix}${n}`));
  const edges = Array.from({ length: pipelines }, (_, n) => [
    { from: `s${n}`, to: `p${n}` },
    ...Array.from({ length: each }, (_, m) => ({ from: `p${n}`, to: `d${(n + 3 * m) % destinations}` })),
  ]).flat();
  const places = placeNodes({
    sources: many(pipelines, 's').map(source => ({ ...source, kind: 'sdk' as const })),
    pipelines: many(pipelines, 'p'),
    destinations: many(destinations, 'd').map(one => ({
      ...one,
      kind: 'inbox',
      state: 'active' as const,
    })),
    edges: edges.map(edge => ({ ...edge, total: 1, per_minute: 1, dead: { count: 0, more: false } })),
  });
  return curvesOf(edges, places).flatMap((curve, n) =>
    curve === null ? [] : [{ curve, text: `${n + 1}.5K/min`, stroke: 2 + (n % 7) }],
  );
}

test.each([
  [1, 1, 1],
  [1, 4, 4],
  [3, 4, 2],
  [6, 6, 3],
  [12, 12, 2],
])(
  'with %d pipelines, %d destinations and %d of them each, no number lies over another arrow or another number',
  (pipelines, destinations, each) => {
    const arrows = arrowsOf(pipelines, destinations, each);
    const labels = placeLabels(arrows).map((middle, n) => {
      const width = labelWidth(arrows[n]?.text ?? '');
      return (
        middle && {
          left: middle.x - width / 2,
          right: middle.x + width / 2,
          top: middle.y - LABEL_HEIGHT / 2,
          bottom: middle.y + LABEL_HEIGHT / 2,
        }
      );
    });
    for (const [n, label] of labels.entries()) {
      if (!label) continue;
      for (const other of labels.slice(n + 1)) expect(other && overlap(label, other)).not.toBe(true);
      for (const { curve } of arrows.toSpliced(n, 1)) {
        for (let t = 0; t <= 1; t += 0.01) {
          const { x, y } = pointOn(curve, t);
          const isOver = x > label.left && x < label.right && y > label.top && y < label.bottom;
          expect(isOver).toBe(false);
        }
      }
    }
    // What has no room is left out, which few have to be.
    const placed = labels.filter(label => label !== null);
    expect(placed.length).toBeGreaterThanOrEqual(arrows.length * (arrows.length > 20 ? 0.8 : 1));
  },
);

test('an arrow without a number has no place for one', () => {
  const [arrow] = arrowsOf(1, 1, 1);
  expect(placeLabels(arrow ? [{ ...arrow, text: '' }] : [])).toEqual([null]);
});

test('arrows of one node leave and enter it at different places, in the order of their other ends', () => {
  const arrows = arrowsOf(1, 4, 4).slice(1);
  const ends = arrows.map(({ curve }) => curve.end.y);
  const begins = arrows.map(({ curve }) => curve.begin.y);
  const inOrder = (values: readonly number[]) =>
    [...values.keys()].toSorted((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  expect(new Set(begins).size).toBe(4);
  expect(inOrder(begins)).toEqual(inOrder(ends));
});
