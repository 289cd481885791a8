import pg, { type ClientBase } from 'pg';
import { checksumInPostgres } from '../move/checksum.ts';
import {
  type Chunk,
  type KeyRange,
  type MovedTable,
  type RowKey,
  rowKeyOf,
  type Summary,
} from '../move/table.ts';
import { textArray } from './arrays.ts';

/** The rows of a table in the target of a move: compared with a chunk of the source, and made the same. */

/** At once, of a range that may have far more rows than a chunk where the source has lost many. */
const COMPARED_AT_ONCE = 5_000;

export async function summarise(client: ClientBase, table: MovedTable, range: KeyRange): Promise<Summary> {
  const { where, values } = within(table, range);
  const { rows } = await client.query<{ count: number; checksum: string }>(
    `SELECT count(*) AS count, coalesce(sum(${checksumInPostgres(table.columns)}), 0)::text AS checksum
     FROM "${table.name}" ${where}`,
    values,
  );
  return { count: rows[0]?.count ?? 0, checksum: BigInt(rows[0]?.checksum ?? 0) };
}

/** What the chunk has not, or has otherwise. Answers how many went, and which rows of the chunk are there as they are. */
export async function removeOthers(
  client: ClientBase,
  table: MovedTable,
  chunk: Chunk,
): Promise<{ removed: number; kept: ReadonlySet<string> }> {
  if (!table.hasPrimaryKey) {
    const { where, values } = within(table, chunk);
    const { rowCount } = await client.query(`DELETE FROM "${table.name}" ${where}`, values);
    return { removed: rowCount ?? 0, kept: new Set() };
  }
  const wanted = new Map(chunk.rows.map(row => [nameOf(rowKeyOf(table, row.values)), row.checksum]));
  const kept = new Set<string>();
  let removed = 0;
  let after = chunk.after;
  for (;;) {
    const found = await readChecksums(client, table, { after, upTo: chunk.upTo });
    const others = found.filter(({ key, checksum }) => wanted.get(nameOf(key)) !== checksum);
    const gone = new Set(others.map(({ key }) => nameOf(key)));
    for (const { key } of found) if (!gone.has(nameOf(key))) kept.add(nameOf(key));
    await remove(
      client,
      table,
      others.map(({ key }) => key),
    );
    removed += others.length;
    after = found.at(-1)?.key ?? after;
    if (found.length < COMPARED_AT_ONCE) return { removed, kept };
  }
}

async function readChecksums(
  client: ClientBase,
  table: MovedTable,
  range: KeyRange,
): Promise<{ key: RowKey; checksum: bigint }[]> {
  const { where, values } = within(table, range);
  const keys = table.key.map(name => `"${name}"`);
  const { rows } = await client.query<string[]>({
    text: `SELECT ${checksumInPostgres(table.columns)}::text, ${keys.map(key => `${key}::text`).join(', ')}
      FROM "${table.name}" ${where} ORDER BY ${keys.join(', ')} LIMIT ${COMPARED_AT_ONCE}`,
    values,
    rowMode: 'array',
  });
  return rows.map(([checksum = '0', ...key]) => ({ key, checksum: BigInt(checksum) }));
}

async function remove(client: ClientBase, table: MovedTable, keys: readonly RowKey[]): Promise<void> {
  if (keys.length === 0) return;
  const columns = table.key.map((_, i) => textArray(keys.map(key => key[i] ?? null)));
  const matches = table.key.map((name, i) => `other."${name}" = gone.k${i}${castOf(table, name)}`);
  await client.query(
    `DELETE FROM "${table.name}" AS other
     USING unnest(${columns.map((_, i) => `$${i + 1}::text[]`).join(', ')}) AS gone (${columns.map((_, i) => `k${i}`).join(', ')})
     WHERE ${matches.join(' AND ')}`,
    columns,
  );
}

/**
 * The rows of the chunk that are not there yet. False where one of them has what must be unique of a row that is still to
 * go, or refers to one that is still to come: then none is written.
 */
export async function addMissing(
  client: ClientBase,
  table: MovedTable,
  chunk: Chunk,
  kept: ReadonlySet<string>,
): Promise<number | 'not yet'> {
  const rows =
    kept.size === 0 ? chunk.rows : chunk.rows.filter(row => !kept.has(nameOf(rowKeyOf(table, row.values))));
  if (rows.length === 0) return 0;
  const { columns } = table;
  const parameters = columns.map((_, i) => textArray(rows.map(({ values }) => values[i] ?? null)));
  const selected = columns.map(({ name }, i) => `c${i}${castOf(table, name)}`);
  await client.query('SAVEPOINT missing');
  try {
    await client.query(
      `INSERT INTO "${table.name}" (${columns.map(({ name }) => `"${name}"`).join(', ')})
       SELECT ${selected.join(', ')} FROM unnest(${columns.map((_, i) => `$${i + 1}::text[]`).join(', ')})
       AS new (${columns.map((_, i) => `c${i}`).join(', ')})`,
      parameters,
    );
    return rows.length;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !/^2350[35]$/.test(error.code ?? '')) throw error;
    await client.query('ROLLBACK TO SAVEPOINT missing');
    return 'not yet';
  }
}

/** A key as one text. No text that is stored holds a NUL. */
const nameOf = (key: RowKey): string => key.join('\0');

const casts = { text: '', integer: '::bigint', double: '::double precision' };

const castOf = (table: MovedTable, column: string): string =>
  casts[table.columns.find(({ name }) => name === column)?.type ?? 'text'];

function within(table: MovedTable, { after, upTo }: KeyRange): { where: string; values: string[] } {
  const values: string[] = [];
  const key = `(${table.key.map(name => `"${name}"`).join(', ')})`;
  const given = (bound: RowKey) =>
    `(${table.key.map((name, i) => `$${values.push(bound[i] ?? '')}${castOf(table, name) || '::text'}`).join(', ')})`;
  const conditions = [
    ...(after === null ? [] : [`${key} > ${given(after)}`]),
    ...(upTo === null ? [] : [`${key} <= ${given(upTo)}`]),
  ];
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}
