import { createContext, useContext } from 'react';

/** A name that conditions can read, with what stands there in the event at hand. */
export interface KnownField {
  readonly path: string;
  readonly example: string;
}

/** What every event has, whatever its payload. */
export const commonFields: readonly KnownField[] = [
  { path: 'event.type', example: 'the type of the event' },
  { path: 'event.id', example: 'evt_…' },
  { path: 'event.sender_id', example: "the sender's own id" },
  { path: 'event.icon', example: 'its icon' },
  { path: 'event.received_at', example: 'a time' },
  { path: 'event.timestamp', example: 'a time' },
  { path: 'event.headers', example: 'headers of the webhook request' },
  { path: 'entity.kind', example: 'kind of the entity' },
  { path: 'entity.external_id', example: 'external id of the entity' },
  { path: 'entity.traits', example: 'traits of the entity' },
  { path: 'source.name', example: 'the name of the source' },
];

const Fields = createContext<readonly KnownField[]>(commonFields);

/** Whoever knows an event provides its fields to the conditions below. */
export const KnownFieldsProvider = Fields.Provider;
export const useKnownFields = (): readonly KnownField[] => useContext(Fields);

const MOST_FIELDS = 200;
const DEEPEST = 6;
const LONGEST_EXAMPLE = 40;

/** Every field of an object, as CEL names it: `payload.items[0]["unit price"]`. */
export function fieldsOf(root: string, value: unknown): KnownField[] {
  const found: KnownField[] = [];
  const walk = (path: string, each: unknown, depth: number) => {
    if (found.length >= MOST_FIELDS) return;
    if (depth > 0) found.push({ path, example: formatValue(each) });
    if (typeof each !== 'object' || each === null || depth >= DEEPEST) return;
    if (Array.isArray(each)) {
      if (each.length > 0) walk(`${path}[0]`, each[0], depth + 1);
      return;
    }
    for (const [name, inner] of Object.entries(each)) walk(path + accessOf(name), inner, depth + 1);
  };
  walk(root, value, 0);
  return found;
}

/** Words of CEL itself cannot stand behind a dot. */
const RESERVED =
  /^(?:as|break|const|continue|else|false|for|function|if|import|in|let|loop|namespace|null|package|return|true|var|void|while)$/;

const accessOf = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) && !RESERVED.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > LONGEST_EXAMPLE ? `${text.slice(0, LONGEST_EXAMPLE)}…` : text;
}
