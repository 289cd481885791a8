import type { CappedCountRecord, MapRecord } from '@sluice/contract/dashboard-overview';
import { type Edge, MarkerType, type Node, type NodeHandle, Position } from '@xyflow/react';
import { formatCapped, formatNumber } from '../../lib/format.ts';
import { labelOfSourceKind } from '../../lib/source-kind.ts';
import { formatPerMinute, formatShort } from './format.ts';
import { type Curve, curvesOf, type Point } from './map-curves.ts';
import { placeLabels } from './map-labels.ts';
import { NODE_HEIGHT, NODE_WIDTH, type Places } from './map-layout.ts';

/** The nodes and arrows of the map, made from what the server answers. */

interface Part {
  readonly [key: string]: unknown;
  readonly column: 'sources' | 'pipelines' | 'destinations';
  readonly id: string;
  readonly name: string;
  /** What it is, and how much it had to do. */
  readonly note: string;
  /** What waits there, in words; empty where nothing does. */
  readonly waits: string;
  /** What died there, in words. */
  readonly died: string;
  /** Where it is not simply at work: disabled, paused, held, failing, down. */
  readonly state: string | null;
}

export type PartNode = Node<Part, 'part'>;
export type ArrowEdge = Edge<
  {
    readonly curve: Curve;
    /** Its number, and where that stands; nowhere where there is no room. */
    readonly label: string;
    readonly labelAt: Point | null;
    /** What is told of it in one line. */
    readonly title: string;
  },
  'arrow'
>;

const [NARROWEST, WIDEST] = [1.5, 7];
/** The heads of arrows are named by their colour, so it is spelt out. */
const [WATER, GREY, RED] = ['#149484', '#868e96', '#fa5252'];

/** The map as it is handed to whoever draws it; `span`: what a total is of, such as `24h`. */
export function drawMap(
  map: MapRecord,
  places: Places,
  span: string,
): { nodes: PartNode[]; edges: ArrowEdge[] } {
  const parts = partsOf(map);
  return {
    nodes: parts.map(part => ({
      id: part.id,
      type: 'part',
      position: places.at.get(part.id) ?? { x: 0, y: 0 },
      width: NODE_WIDTH,
      height: NODE_HEIGHT,
      handles: handlesOf(part),
      data: part,
    })),
    edges: arrowsOf(map, parts, places, span),
  };
}

/** Where arrows end and begin, given up front: otherwise every update hides all arrows until each node has been measured. */
function handlesOf({ column }: Part): NodeHandle[] {
  const y = NODE_HEIGHT / 2;
  const end: NodeHandle = { type: 'target', position: Position.Left, x: 0, y };
  const begin: NodeHandle = { type: 'source', position: Position.Right, x: NODE_WIDTH, y };
  return [...(column === 'sources' ? [] : [end]), ...(column === 'destinations' ? [] : [begin])];
}

function arrowsOf(map: MapRecord, parts: readonly Part[], places: Places, span: string): ArrowEdge[] {
  const byId = new Map(parts.map(part => [part.id, part]));
  const most = Math.max(1, ...map.edges.map(({ total }) => total));
  const curves = curvesOf(map.edges, places);
  const arrows = map.edges.flatMap(({ from, to, total, per_minute, dead }, n) => {
    const [begin, end, curve] = [byId.get(from), byId.get(to), curves[n]];
    if (!begin || !end || !curve) return [];
    const isStill = total === 0 && per_minute === 0;
    const stroke = isStill ? 1 : NARROWEST + (WIDEST - NARROWEST) * Math.sqrt(total / most);
    const inAll = `${formatShort(total)}${span && ` in ${span}`}`;
    const text = per_minute > 0 ? formatPerMinute(per_minute) : total > 0 ? inAll : '';
    const died = told(dead, end.column === 'destinations' ? 'dead' : 'failed');
    return [{ begin, end, curve, isStill, isMoving: per_minute > 0, stroke, text, died }];
  });
  const labels = placeLabels(arrows);
  return arrows.map(({ begin, end, curve, isStill, isMoving, stroke, text, died }, n) => {
    const way = wayOf(begin, end, { isStill, isDying: died !== '' });
    return {
      id: `${begin.id}>${end.id}`,
      source: begin.id,
      target: end.id,
      animated: isMoving,
      type: 'arrow' as const,
      data: {
        curve,
        label: text,
        labelAt: labels[n] ?? null,
        title: [`${begin.name} to ${end.name}`, text, died].filter(part => part !== '').join(', '),
      },
      className: way,
      style: { strokeWidth: stroke },
      markerEnd: {
        type: MarkerType.ArrowClosed,
        width: 12 + 1.4 * stroke,
        height: 12 + 1.4 * stroke,
        markerUnits: 'userSpaceOnUse',
        color: way === 'dying' ? RED : way === 'open' ? WATER : GREY,
      },
    };
  });
}

/** Red where what goes along it dies, whatever else may be said of it. */
function wayOf(
  begin: Part,
  end: Part,
  { isStill, isDying }: { readonly isStill: boolean; readonly isDying: boolean },
): 'dying' | 'closed' | 'still' | 'open' {
  if (end.state === 'down' || (isDying && !isStill)) return 'dying';
  // What fails is still being sent.
  if ((end.state !== null && end.state !== 'failing') || begin.state !== null) return 'closed';
  return isStill ? 'still' : 'open';
}

/** `3 dead`, `0+ dead` where some may not have been found; empty where there is nothing to tell. */
const told = (amount: CappedCountRecord, what: string): string =>
  amount.count === 0 && !amount.more ? '' : `${formatCapped(amount)} ${what}`;

function partsOf({ sources, pipelines, destinations }: MapRecord): Part[] {
  const counted = (total: number, one: string, many: string) =>
    total === 0 ? '' : ` · ${formatNumber(total)} ${total === 1 ? one : many}`;
  return [
    ...sources.map(({ id, name, kind, enabled, total, waiting }) => ({
      column: 'sources' as const,
      id,
      name,
      note: `${labelOfSourceKind(kind)}${counted(total, 'event', 'events')}`,
      waits: told(waiting, 'unprocessed'),
      died: '',
      state: enabled ? null : 'disabled',
    })),
    ...pipelines.map(({ id, name, enabled, total, waiting, dead }) => ({
      column: 'pipelines' as const,
      id,
      name,
      note: `pipeline${counted(total, 'event', 'events')}`,
      waits: told(waiting, 'retrying'),
      died: told(dead, 'failed'),
      state: enabled ? null : 'disabled',
    })),
    ...destinations.map(({ id, name, kind, state, total, waiting, dead }) => ({
      column: 'destinations' as const,
      id,
      name,
      note: `${kind}${counted(total, 'delivered', 'delivered')}`,
      waits: told(waiting, state === 'paused' || state === 'held' ? 'held' : 'waiting'),
      died: told(dead, 'dead'),
      state: state === 'active' ? null : state,
    })),
  ];
}
