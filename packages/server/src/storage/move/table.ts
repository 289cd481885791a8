/** A table as `sluice move` carries it from the embedded database to PostgreSQL, a chunk of its rows at a time. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly MovedColumn[];
  /** Columns in whose order its rows are read. Without a primary key these are all of them, and rows may repeat. */
  readonly key: readonly string[];
  readonly hasPrimaryKey: boolean;
}

export interface MovedColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'double';
}

/** Every other table of the schema is carried, those too that are added to it later. */
export const leftOut: Readonly<Record<string, string>> = {
  nodes:
    'The processes that are alive. Those of the target enter themselves, and whatever was claimed by one that is not there is free.',
};

/** Of one row, in the order of the table's columns, as texts that PostgreSQL reads back to the same values. */
export type RowValues = readonly (string | null)[];

export interface MovedRow {
  readonly values: RowValues;
  readonly checksum: bigint;
}

/** The values of the key's columns. */
export type RowKey = readonly string[];

/** The rows after one key and up to another; null: from the first, to the last. */
export interface KeyRange {
  readonly after: RowKey | null;
  readonly upTo: RowKey | null;
}

/** What two sides are compared by. */
export interface Summary {
  readonly count: number;
  readonly checksum: bigint;
}

/** Rows that stand together in the order of the key, few enough to be held in memory. */
export interface Chunk extends KeyRange, Summary {
  readonly rows: readonly MovedRow[];
}

export function rowKeyOf(table: MovedTable, values: RowValues): RowKey {
  return table.key.map(name => {
    const value = values[table.columns.findIndex(column => column.name === name)];
    if (value === null || value === undefined) throw new Error(`A row of ${table.name} has no ${name}.`);
    return value;
  });
}

export const isSame = (one: Summary, other: Summary): boolean =>
  one.count === other.count && one.checksum === other.checksum;
