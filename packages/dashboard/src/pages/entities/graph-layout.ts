import type { EntityName } from '../../lib/entity-path.ts';

/** Where each entity of a graph is drawn: the one it is about in the middle, the others in rings by distance. */
interface GraphEdge {
  readonly from: EntityName;
  readonly to: EntityName;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

const RING_GAP = 220;
/** Room for one box on its ring. */
const BOX_WIDTH = 190;

export const graphKey = ({ kind, external_id }: EntityName): string => `${kind}\n${external_id}`;

export function placeEntities(
  names: readonly EntityName[],
  edges: readonly GraphEdge[],
  middle: EntityName,
): Map<string, Place> {
  const { rings, left } = toRings(names, edges, middle);
  const places = new Map<string, Place>();
  let radius = 0;
  // What no edge leads to stands in the last ring.
  [...rings, left].forEach((ring, depth) => {
    radius = depth === 0 ? 0 : Math.max(radius + RING_GAP, (ring.length * BOX_WIDTH) / (2 * Math.PI));
    ring.forEach((key, index) => {
      // Begun at the left, where reading begins; wider than high, as screens are.
      const angle = Math.PI + (2 * Math.PI * index) / ring.length;
      places.set(key, { x: Math.cos(angle) * radius * 1.25, y: Math.sin(angle) * radius * 0.7 });
    });
  });
  return places;
}

/** Those that edges lead to from the middle, and the edges among them. */
export function reachedFrom<Name extends EntityName, Edge extends GraphEdge>(
  middle: EntityName,
  names: readonly Name[],
  edges: readonly Edge[],
): { nodes: Name[]; edges: Edge[] } {
  const { rings } = toRings(names, edges, middle);
  const keys = new Set(rings.flat());
  const isReached = (name: EntityName) => keys.has(graphKey(name));
  return {
    nodes: names.filter(isReached),
    edges: edges.filter(({ from, to }) => isReached(from) && isReached(to)),
  };
}

/** By the number of steps from the middle, and what no edge leads to. */
function toRings(
  names: readonly EntityName[],
  edges: readonly GraphEdge[],
  middle: EntityName,
): { rings: string[][]; left: string[] } {
  const neighbours = new Map<string, string[]>();
  const join = (one: string, other: string) => neighbours.set(one, [...(neighbours.get(one) ?? []), other]);
  for (const { from, to } of edges) {
    join(graphKey(from), graphKey(to));
    join(graphKey(to), graphKey(from));
  }
  const left = new Set(names.map(graphKey));
  const take = (keys: readonly string[]) => keys.filter(key => left.delete(key));
  const rings = [take([graphKey(middle)])];
  for (let ring = rings[0] ?? []; ring.length > 0; ) {
    ring = take(ring.flatMap(key => neighbours.get(key) ?? []));
    if (ring.length > 0) rings.push(ring);
  }
  return { rings, left: [...left] };
}
