import { compileTemplate, type Template } from '../../../core/expressions/template.ts';
import type { Json } from '../../../core/json/json.ts';
import { quoteTable } from '../../databases/identifier.ts';

/** What goes into each column: a reference, a text with references in it, or a constant. */
export interface Mapping {
  readonly columns: readonly MappedColumn[];
  readonly readsTraits: boolean;
  check(): void;
}

export interface MappedColumn {
  readonly name: string;
  /** Where it stands in the configuration. */
  readonly path: string;
  readonly source: Json;
  readonly template: Template;
  /** What is known beforehand of the values: `any` where it depends on the event. */
  readonly holds: 'text' | 'time' | 'json' | 'number' | 'boolean' | 'any';
}

/** The typed events table that applies where nobody maps columns. */
export const defaultColumns: Readonly<Record<string, string>> = {
  id: '$event.id',
  type: '$event.type',
  icon: '$event.icon',
  source: '$event.source.name',
  payload: '$event.payload',
  received_at: '$event.received_at',
};

/** For people to paste: the service itself never runs DDL. */
export const defaultTableDdl = (table: string): string => `CREATE TABLE ${quoteTable(table)} (
  id text PRIMARY KEY,
  type text NOT NULL,
  icon text,
  source text,
  payload jsonb NOT NULL,
  received_at timestamptz NOT NULL
);`;

export function compileMapping(columns: Readonly<Record<string, Json>>): Mapping {
  const compiled = Object.entries(columns).map(([name, source]): MappedColumn => {
    const path = `config.columns.${name}`;
    return { name, path, source, template: compileTemplate(source, path), holds: holdsOf(source) };
  });
  return {
    columns: compiled,
    readsTraits: compiled.some(({ template }) => template.readsTraits),
    check() {
      for (const { template } of compiled) template.check();
    },
  };
}

/** A sender's id and an entity's external id are texts that may well be numbers, so they fit anywhere. */
const KNOWN: Readonly<Record<string, MappedColumn['holds']>> = {
  '$event.id': 'text',
  '$event.type': 'text',
  '$event.link': 'text',
  '$event.icon': 'text',
  '$event.source.name': 'text',
  '$event.entity.kind': 'text',
  '$event.received_at': 'time',
  '$event.timestamp': 'time',
  '$event.payload': 'json',
  '$event.labels': 'json',
  '$event.entity': 'json',
  '$event.entity.traits': 'json',
  '$event.source': 'json',
};

function holdsOf(source: Json): MappedColumn['holds'] {
  if (typeof source === 'string') return Object.hasOwn(KNOWN, source) ? (KNOWN[source] ?? 'any') : 'any';
  if (typeof source === 'number' || typeof source === 'bigint') return 'number';
  if (typeof source === 'boolean') return 'boolean';
  return source === null ? 'any' : 'json';
}
