import type { MapRecord } from '@sluice/contract/dashboard-overview';

export const NODE_WIDTH = 210;
export const NODE_HEIGHT = 68;
const ROW = NODE_HEIGHT + 14;
/** Room for an arrow with its number. */
const GAP = 214;
const COLUMN = NODE_WIDTH + GAP;

export interface Places {
  readonly at: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
  readonly width: number;
  readonly height: number;
}

/**
 * Three columns, left to right: sources, pipelines, destinations. Pipelines stand in the order of their names; the
 * others stand beside the pipelines that they belong to, so that few arrows cross. A shorter column is centred.
 */
export function placeNodes({ sources, pipelines, destinations, edges }: MapRecord): Places {
  const ids = (nodes: readonly { readonly id: string }[]) => nodes.map(({ id }) => id);
  const middle = ids(pipelines);
  const rank = new Map(middle.map((id, row) => [id, row]));
  const besides = (id: string): number => {
    const rows = edges.flatMap(({ from, to }) => {
      const row = from === id ? rank.get(to) : to === id ? rank.get(from) : undefined;
      return row === undefined ? [] : [row];
    });
    // What belongs to no pipeline stands at the end.
    return rows.length === 0 ? middle.length : rows.reduce((a, b) => a + b, 0) / rows.length;
  };
  const beside = (nodes: readonly string[]): string[] => {
    const wanted = new Map(nodes.map(id => [id, besides(id)]));
    return nodes.toSorted((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
  };

  const columns = [beside(ids(sources)), middle, beside(ids(destinations))];
  const rows = Math.max(1, ...columns.map(column => column.length));
  const at = new Map<string, { x: number; y: number }>();
  for (const [n, column] of columns.entries()) {
    const top = ((rows - column.length) * ROW) / 2;
    for (const [row, id] of column.entries()) at.set(id, { x: n * COLUMN, y: top + row * ROW });
  }
  return { at, width: 2 * COLUMN + NODE_WIDTH, height: rows * ROW - (ROW - NODE_HEIGHT) };
}
