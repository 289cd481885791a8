import { z } from 'zod';
import { invalid } from '../../core/errors.ts';
import { type Json, stringifyJson } from '../../core/json/json.ts';
import type { Table } from '../databases/catalogue.ts';
import { columnName, tableName } from '../databases/identifier.ts';
import { type Composer, type Destination, type DestinationDeps, defineDestination } from '../destination.ts';
import { type Rendered, tooMuch, unsent } from '../rendering/message.ts';
import { cutText } from '../rendering/text.ts';
import { readConnectionString } from './postgres/connection-string.ts';
import { openDatabase } from './postgres/database.ts';
import { mappingProblem } from './postgres/fit.ts';
import { compileMapping, defaultColumns, defaultTableDdl, type Mapping } from './postgres/mapping.ts';

const CHECK_TIMEOUT_MS = 10_000;

const config = z.strictObject({
  connection_string: z
    .string()
    .min(1)
    .max(4_096)
    .meta({
      title: 'Connection string',
      examples: ['postgres://user:password@db.example.com:5432/app'],
    }),
  table: tableName.meta({ title: 'Table', examples: ['events', 'analytics.events'] }),
  columns: z
    .record(columnName, z.json())
    .refine(columns => Object.keys(columns).length > 0, 'must map at least one column.')
    .optional()
    .meta({
      title: 'Columns',
      description:
        'The value of each column, such as `$event.payload.id`. Default: the columns of the standard events table.',
      aid: 'table_columns',
    }),
  ca: z
    .string()
    .max(64 * 1024)
    .regex(/-----BEGIN CERTIFICATE-----/, 'must be a certificate in PEM form.')
    .optional()
    .meta({
      title: 'CA certificate',
      description: 'For a database whose certificate is not signed by a public CA.',
    }),
});

/** A row in a table of a PostgreSQL database. */
export const postgresDestination = defineDestination({
  name: 'postgres',
  title: 'PostgreSQL',
  docs: [
    'Inserts one row per event into your table, which must exist: Sluice never runs DDL.',
    '`columns` maps each column to a value of the event (`"$event.payload.id"`); an absent value is NULL.',
    'Without it the row goes into a table such as this one:',
    '',
    '```sql',
    defaultTableDdl('events'),
    '```',
    '',
    'With a unique column that holds `$event.id`, a repeated delivery creates no second row.',
    'A test inserts a row and rolls it back, so that constraints and triggers are checked and nothing is left.',
    'The connection is encrypted and the certificate is verified, unless the connection string says `sslmode=disable`',
    'or the address is one of the operator’s own (`SLUICE_ALLOW_ADDRESSES`).',
  ].join('\n'),
  config,
  secrets: ['connection_string'],
  examples: [
    {
      title: 'The default table',
      config: { connection_string: 'postgres://sluice:secret@db.example.com:5432/app', table: 'events' },
    },
    {
      title: 'Custom columns',
      config: {
        connection_string: 'postgres://sluice:secret@db.example.com:5432/app',
        table: 'orders',
        columns: {
          event_id: '$event.id',
          order_id: '$event.payload.id',
          customer: '$event.payload.customer.email',
          amount: '$event.payload.amount',
          raw: '$event.payload',
          received_at: '$event.received_at',
        },
      },
    },
  ],

  async check(given, deps) {
    const { columns } = mappingOf(given.columns);
    const problem = mappingProblem(await lookAt(given, deps), given.table, columns);
    if (problem) throw problem;
  },

  async readColumns(given, deps) {
    const table = await lookAt(given, deps);
    const uniques = new Set(table.uniques.flatMap(columns => (columns.length === 1 ? columns : [])));
    return {
      table: given.table,
      exists: table.columns.size > 0,
      mayInsert: table.mayInsert,
      columns: [...table.columns].map(([name, { type, isRequired, isGenerated }]) => ({
        name,
        type,
        isRequired,
        isGenerated,
        isUnique: uniques.has(name),
      })),
      defaultColumns,
      ddl: defaultTableDdl(given.table),
    };
  },

  composer: composeRow,

  prepare(given, deps): Destination {
    const address = readConnectionString(given.connection_string);
    const recipe = { kind: 'postgres', config: given, composer: composeRow(given) };
    const database = openDatabase(address, given.ca ?? deps.ca, deps);
    const columns = mappingOf(given.columns).columns.map(({ name, source }) => ({ name, source }));
    const target = `PostgreSQL ${address.host}:${address.port}/${address.database}`;
    return {
      readsTraits: recipe.composer.readsTraits,
      readsLink: true,
      async send(delivery) {
        const rendered = await deps.renderer.render(delivery, recipe);
        if (rendered.kind === 'failed') return unsent(target, rendered.failure);
        const began = performance.now();
        const { values, shown } = rendered.value;
        const row = { table: given.table, columns, values, isTest: delivery.isTest ?? false };
        const result = await database.use('insert', row, delivery.timeoutMs, delivery.isStillWanted);
        const facts = {
          request: { target, headers: {}, body: shown },
          status: null,
          durationMs: Math.round(performance.now() - began),
        };
        return result.kind === 'done'
          ? { outcome: 'delivered', ...facts, response: result.value }
          : { outcome: 'failed', ...result.failure, ...facts, response: null, retryAfterMs: null };
      },
      async close() {
        database.close();
      },
    };
  },
});

/** The table as it is there now. */
async function lookAt(given: z.output<typeof config>, deps: DestinationDeps): Promise<Table> {
  const address = readConnectionString(given.connection_string);
  await deps.client.requireUsableHost(address.host, 'config.connection_string');
  const database = openDatabase(address, given.ca ?? deps.ca, deps);
  try {
    const read = await database.use('read_table', { table: given.table }, CHECK_TIMEOUT_MS);
    if (read.kind === 'failed') throw invalid('config.connection_string', read.failure.message);
    return read.value;
  } finally {
    database.close();
  }
}

const mappingOf = (columns: Readonly<Record<string, unknown>> | undefined): Mapping =>
  compileMapping((columns ?? defaultColumns) as Readonly<Record<string, Json>>);

/** Both as JSON: the values of a row, and the row as people see it. */
interface RenderedRow {
  readonly values: string;
  readonly shown: string;
}

function composeRow({ table, columns }: z.output<typeof config>): Composer<Rendered<RenderedRow>> {
  const mapping = mappingOf(columns);
  return {
    readsTraits: mapping.readsTraits,
    check: mapping.check,
    compose(_delivery, scope, budget) {
      const values: Json[] = [];
      for (const { template } of mapping.columns) {
        const resolved = template.resolve(scope, budget);
        if (resolved.kind === 'over_budget') return { kind: 'failed', failure: tooMuch(resolved.reason) };
        values.push(resolved.value ?? null);
      }
      const row = Object.fromEntries(mapping.columns.map(({ name }, i) => [name, values[i] ?? null]));
      const shown = cutText(stringifyJson({ insert_into: table, row }), 16 * 1024);
      return { kind: 'rendered', value: { values: stringifyJson(values), shown } };
    },
  };
}
