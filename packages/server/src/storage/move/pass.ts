import type { MoveTarget } from '../postgres/move-target.ts';
import type { MoveSource } from '../sqlite/move-source.ts';
import { type Chunk, isSame, type MovedTable, type RowKey, type Summary } from './table.ts';

/** One pass over all tables of the source: chunk by chunk the target is asked what it has, and made the same. */
export interface Pass {
  readonly tables: readonly MovedCount[];
  readonly rows: number;
  /** How many rows the target did not have, or had otherwise, or should not have. */
  readonly changed: number;
}

interface MovedCount extends Summary {
  readonly name: string;
}

interface PassOptions {
  /** Go on where the first copy was, and put down how far it has come. */
  readonly isFirst: boolean;
  /** Whether the target is asked again for what was written. */
  readonly check: boolean;
  onChunk(table: string, rows: number): void;
}

/** Nothing changes in the source: after one sweep for what has to go, one for what has to come is enough. */
const MOST_SWEEPS = 3;

export async function passOver(source: MoveSource, target: MoveTarget, options: PassOptions): Promise<Pass> {
  const from = options.isFirst ? target.position : null;
  const names = source.tables.map(({ name }) => name);
  const tables: MovedCount[] = [];
  let changed = 0;
  for (const table of source.tables.slice(Math.max(0, names.indexOf(from?.table ?? '')))) {
    let swept = await sweep(source, target, table, table.name === from?.table ? from.after : null, options);
    changed += swept.changed;
    for (let sweeps = 1; swept.isWaiting && options.check; sweeps++) {
      if (sweeps === MOST_SWEEPS) {
        throw new Error(
          `Rows of ${table.name} are refused by the target: two have what must be unique there.`,
        );
      }
      swept = await sweep(source, target, table, null, options);
    }
    tables.push({ name: table.name, count: swept.count, checksum: swept.checksum });
  }
  const rows = tables.reduce((sum, { count }) => sum + count, 0);
  return { tables, rows, changed };
}

async function sweep(
  source: MoveSource,
  target: MoveTarget,
  table: MovedTable,
  from: RowKey | null,
  { isFirst, check, onChunk }: PassOptions,
): Promise<Summary & { readonly changed: number; readonly isWaiting: boolean }> {
  let [count, checksum, changed, isWaiting] = [0, 0n, 0, false];
  let chunk: Chunk | null = source.read(table, from);
  while (chunk !== null) {
    const present: Chunk = chunk;
    const asked = target.summarise(table, present);
    asked.catch(() => {});
    // Read while the target computes.
    chunk = present.upTo === null ? null : source.read(table, present.upTo);
    const found = await asked;
    if (!isSame(found, present)) {
      const position = isFirst ? { table: table.name, after: present.upTo ?? present.after } : null;
      const made = await target.makeSame(table, present, found, { position, check });
      changed += made.changed;
      isWaiting ||= made.isWaiting;
    }
    count += present.count;
    checksum += present.checksum;
    onChunk(table.name, present.count);
  }
  return { count, checksum, changed, isWaiting };
}
