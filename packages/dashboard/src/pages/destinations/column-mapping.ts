import type { TableColumnsRecord } from '@sluice/contract/dashboard-deliveries';

type Found = Pick<TableColumnsRecord, 'columns' | 'default_columns'>;

/** Whether a row of the default mapping would go into the table. */
export const defaultFits = ({ columns, default_columns }: Found): boolean =>
  Object.keys(default_columns).every(name =>
    columns.some(column => column.name === name && !column.generated),
  ) && columns.every(({ name, required }) => !required || name in default_columns);

/** What columns of such a name usually hold. */
const usual: readonly [RegExp, string][] = [
  [/^(event_?)?id$/i, '$event.id'],
  [/^(event_?)?type$/i, '$event.type'],
  [/^icon$/i, '$event.icon'],
  [/^source(_name)?$/i, '$event.source.name'],
  [/^(payload|data|raw|body)$/i, '$event.payload'],
  [/^(received|created|inserted)_?at$/i, '$event.received_at'],
  [/^(timestamp|time|occurred_?at|happened_?at)$/i, '$event.timestamp'],
];

/** A mapping to begin with: by its name, or else the field of the payload that is called the same. */
export const suggestMapping = ({ columns }: Pick<Found, 'columns'>): Record<string, string> =>
  Object.fromEntries(
    columns
      .filter(({ generated }) => !generated)
      .map(({ name }) => [name, usual.find(([pattern]) => pattern.test(name))?.[1] ?? fieldOf(name)]),
  );

const fieldOf = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? `$event.payload.${name}` : `$event.payload[${JSON.stringify(name)}]`;

/** Offered while a reference is typed. */
export const references: readonly string[] = [
  '$event.id',
  '$event.type',
  '$event.icon',
  '$event.payload',
  '$event.received_at',
  '$event.timestamp',
  '$event.source.name',
  '$event.sender_id',
  '$event.headers',
  '$event.labels',
  '$event.entity.kind',
  '$event.entity.external_id',
  '$event.entity.traits',
];
