import type { MapRecord } from '@sluice/contract/dashboard-overview';
import { NODE_HEIGHT, NODE_WIDTH, type Places } from './map-layout.ts';

/** The curves of the map's arrows: each leaves and enters its nodes at a place of its own, so that they can be told apart. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Curve {
  readonly begin: Point;
  readonly end: Point;
}

type Edge = Pick<MapRecord['edges'][number], 'from' | 'to'>;

/** In the order of the edges; null where one of its nodes is not on the map. */
export function curvesOf(edges: readonly Edge[], { at }: Places): (Curve | null)[] {
  const height = (id: string) => at.get(id)?.y ?? 0;
  const leaving = placesAlong(edges, 'from', ({ to }) => height(to));
  const entering = placesAlong(edges, 'to', ({ from }) => height(from));
  return edges.map((edge, n) => {
    const [from, to] = [at.get(edge.from), at.get(edge.to)];
    if (!from || !to) return null;
    return {
      begin: { x: from.x + NODE_WIDTH, y: from.y + (leaving[n] ?? 0) },
      end: { x: to.x, y: to.y + (entering[n] ?? 0) },
    };
  });
}

/** Spread over the side of each node, in the order of what is at the other end, so that few cross. */
function placesAlong(edges: readonly Edge[], side: 'from' | 'to', order: (edge: Edge) => number): number[] {
  const places = new Array<number>(edges.length).fill(0);
  const ofNode = Map.groupBy(edges.keys(), n => edges[n]?.[side]);
  for (const some of ofNode.values()) {
    const sorted = some.toSorted((a, b) => {
      const [one, other] = [edges[a], edges[b]];
      return one && other ? order(one) - order(other) : 0;
    });
    for (const [place, n] of sorted.entries()) places[n] = ((place + 1) * NODE_HEIGHT) / (sorted.length + 1);
  }
  return places;
}

/** Both of its control points lie half way, so that it leaves and enters level. */
export function drawnPath({ begin, end }: Curve): string {
  const middle = (begin.x + end.x) / 2;
  return `M${begin.x},${begin.y} C${middle},${begin.y} ${middle},${end.y} ${end.x},${end.y}`;
}

/** The place on a curve, from 0 at its beginning to 1 at its end. */
export function pointOn({ begin, end }: Curve, t: number): Point {
  const middle = (begin.x + end.x) / 2;
  const [a, b, c, d] = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t ** 2, t ** 3];
  return {
    x: a * begin.x + (b + c) * middle + d * end.x,
    y: (a + b) * begin.y + (c + d) * end.y,
  };
}
