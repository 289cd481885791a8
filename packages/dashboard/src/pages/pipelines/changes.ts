import { stringifyExact } from '../../lib/api/exact-json.ts';

/** What a step did to a field. */
export interface FieldChange {
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before: string;
  readonly after: string;
}

/** The fields in which two values differ, in the order of the later one. Lists are compared item by item. */
export function fieldChanges(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (isHolder(before) && isHolder(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap(name => {
      const place = joined(path, name, Array.isArray(after));
      if (!Object.hasOwn(before, name)) return [change('added', place, undefined, after[name])];
      if (!Object.hasOwn(after, name)) return [change('removed', place, before[name], undefined)];
      return fieldChanges(before[name], after[name], place);
    });
  }
  return stringifyExact(before, 0) === stringifyExact(after, 0)
    ? []
    : [change('changed', path, before, after)];
}

const change = (kind: FieldChange['kind'], path: string, before: unknown, after: unknown): FieldChange => ({
  kind,
  path,
  before: before === undefined ? '' : stringifyExact(before, 0),
  after: after === undefined ? '' : stringifyExact(after, 0),
});

const isHolder = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function joined(path: string, name: string, isItem: boolean): string {
  if (isItem) return `${path}[${name}]`;
  const isPlain = /^[A-Za-z_]\w*$/.test(name);
  if (path === '') return isPlain ? name : `[${JSON.stringify(name)}]`;
  return isPlain ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}
