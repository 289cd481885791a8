import type { MapRecord } from '@sluice/contract/dashboard-overview';
import { type Edge, MarkerType, type Node } from '@xyflow/react';
import { formatNumber } from '../../lib/format.ts';
import { formatPerMinute, formatShort } from './format.ts';
import { NODE_HEIGHT, NODE_WIDTH, type Places } from './map-layout.ts';
import type { RangeName } from './ranges.ts';

/** The nodes and arrows of the map, made from what the server answers. */

interface Part {
  readonly [key: string]: unknown;
  readonly column: 'sources' | 'pipelines' | 'destinations';
  readonly id: string;
  readonly name: string;
  /** What it is, and how much it had to do. */
  readonly note: string;
  /** Where it is not simply at work: disabled, paused, down. */
  readonly state: string | null;
}

export type PartNode = Node<Part, 'part'>;
export type ArrowEdge = Edge<{ readonly label: string }, 'arrow'>;

const WIDEST_ARROW = 5;
/** The heads of arrows are named by their colour, so it is spelt out. */
const [WATER, GREY, RED] = ['#149484', '#868e96', '#fa5252'];

/** The map as it is handed to whoever draws it. */
export function drawMap(
  map: MapRecord,
  places: Places,
  range: RangeName,
): { nodes: PartNode[]; edges: ArrowEdge[] } {
  const parts = partsOf(map);
  const states = new Map(parts.map(({ id, state }) => [id, state]));
  const most = Math.max(1, ...map.edges.map(({ total }) => total));
  return {
    nodes: parts.map(part => ({
      id: part.id,
      type: 'part',
      position: places.at.get(part.id) ?? { x: 0, y: 0 },
      width: NODE_WIDTH,
      height: NODE_HEIGHT,
      data: part,
    })),
    edges: map.edges
      .filter(({ from, to }) => states.has(from) && states.has(to))
      .map(({ from, to, total, per_minute }) => {
        const isStill = total === 0 && per_minute === 0;
        const state = states.get(to) ?? states.get(from) ?? null;
        const label =
          per_minute > 0 ? formatPerMinute(per_minute) : total > 0 ? `${formatShort(total)} in ${range}` : '';
        return {
          id: `${from}>${to}`,
          source: from,
          target: to,
          animated: per_minute > 0,
          type: 'arrow' as const,
          data: { label },
          className: [isStill ? 'still' : '', state ?? ''].join(' ').trim(),
          style: { strokeWidth: isStill ? 1 : 1.4 + (WIDEST_ARROW - 1.4) * Math.sqrt(total / most) },
          markerEnd: {
            type: MarkerType.ArrowClosed,
            width: 16,
            height: 16,
            markerUnits: 'userSpaceOnUse',
            color:
              isStill || state === 'disabled' || state === 'paused' ? GREY : state === 'down' ? RED : WATER,
          },
        };
      }),
  };
}

function partsOf({ sources, pipelines, destinations }: MapRecord): Part[] {
  const counted = (total: number, one: string, many: string) =>
    total === 0 ? '' : ` · ${formatNumber(total)} ${total === 1 ? one : many}`;
  return [
    ...sources.map(({ id, name, kind, enabled, total }) => ({
      column: 'sources' as const,
      id,
      name,
      note: `${kind}${counted(total, 'event', 'events')}`,
      state: enabled ? null : 'disabled',
    })),
    ...pipelines.map(({ id, name, enabled, total }) => ({
      column: 'pipelines' as const,
      id,
      name,
      note: `pipeline${counted(total, 'run', 'runs')}`,
      state: enabled ? null : 'disabled',
    })),
    ...destinations.map(({ id, name, kind, paused, is_down, total }) => ({
      column: 'destinations' as const,
      id,
      name,
      note: `${kind}${counted(total, 'delivered', 'delivered')}`,
      state: is_down ? 'down' : paused ? 'paused' : null,
    })),
  ];
}
