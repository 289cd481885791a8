import { UsageError } from '../command.ts';
import type { TextRecord } from './records.ts';

/** An event as JSON text, ready to stand in a batch; or why the record makes none. */
export type ReadEvent =
  | { readonly kind: 'event'; readonly line: number; readonly json: string }
  | { readonly kind: 'refused'; readonly line: number; readonly message: string };

type ReadRecord = (record: TextRecord) => ReadEvent;

/**
 * A line of NDJSON: a whole event, or with a type the payload of one. It is checked to be an object and passed on as it
 * is written, so that every number arrives with all of its digits.
 */
export function readJsonLine(type: string | undefined): ReadRecord {
  const before = type === undefined ? '' : `{"type":${JSON.stringify(type)},"payload":`;
  const after = type === undefined ? '' : '}';
  return ({ line, text }) => {
    const json = text.trim();
    try {
      const value: unknown = JSON.parse(json);
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return { kind: 'event', line, json: before + json + after };
      return { kind: 'refused', line, message: 'It is not a JSON object.' };
    } catch {
      return { kind: 'refused', line, message: 'It is not valid JSON.' };
    }
  };
}

const ownColumns = new Set(['type', 'icon', 'id', 'timestamp', 'entity.kind', 'entity.external_id']);

/**
 * A record of CSV, by the names in its first record. The columns of an event's own fields are those, every other one is
 * a field of the payload (`payload.` before its name is left out). An empty cell is no field.
 */
export function readCsvRecord(
  header: TextRecord,
  options: { readonly type: string | undefined; readonly typed: boolean },
): ReadRecord {
  const names = splitCsv(header.text).map(name => name.trim());
  const doubled = names.find((name, i) => name === '' || names.indexOf(name) !== i);
  if (doubled !== undefined)
    throw new UsageError(`The first line must name each column exactly once: check "${doubled}".`);
  if (options.type === undefined && !names.includes('type'))
    throw new UsageError('There is no column "type": give the type of all events with --type.');
  return ({ line, text }) => {
    const cells = splitCsv(text);
    if (cells.length !== names.length) {
      const message = `It has ${cells.length} cells, and the first line names ${names.length}.`;
      return { kind: 'refused', line, message };
    }
    const own: Record<string, string> = options.type === undefined ? {} : { type: options.type };
    const payload: string[] = [];
    for (const [i, cell] of cells.entries()) {
      const name = names[i] ?? '';
      if (cell === '') continue;
      if (ownColumns.has(name)) own[name] = cell;
      else payload.push(`${JSON.stringify(name.replace(/^payload\./, ''))}:${toJson(cell, options.typed)}`);
    }
    return { kind: 'event', line, json: toEvent(own, payload) };
  };
}

function toEvent(own: Readonly<Record<string, string>>, payload: readonly string[]): string {
  const { 'entity.kind': kind, 'entity.external_id': externalId, ...fields } = own;
  const parts = Object.entries(fields).map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
  if (kind !== undefined || externalId !== undefined)
    parts.push(`"entity":${JSON.stringify({ kind, external_id: externalId })}`);
  return `{${[...parts, `"payload":{${payload.join(',')}}`].join(',')}}`;
}

/** Numbers keep their digits; what only looks like one, such as 007, is a text. */
const toJson = (cell: string, typed: boolean): string =>
  typed && /^(-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|true|false)$/.test(cell) ? cell : JSON.stringify(cell);

/** RFC 4180: cells in quotes may hold commas, line breaks, and quotes written twice. */
function splitCsv(text: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; ; ) {
        const quote = text.indexOf('"', at);
        cell += text.slice(at, quote < 0 ? undefined : quote);
        if (quote < 0) at = text.length;
        else if (text[quote + 1] === '"') {
          cell += '"';
          at = quote + 2;
          continue;
        } else at = quote + 1;
        break;
      }
    }
    const comma = text.indexOf(',', at);
    cell += text.slice(at, comma < 0 ? undefined : comma);
    cells.push(cell);
    if (comma < 0) return cells;
    at = comma + 1;
  }
}
