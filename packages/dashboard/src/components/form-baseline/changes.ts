import { stringifyExact } from '../../lib/api/exact-json.ts';

export const isSame = (one: unknown, other: unknown): boolean =>
  stringifyExact(one) === stringifyExact(other);

/**
 * Of a draft only the parts that somebody changed since it was begun. Where such a part has fields, those that they
 * left alone are as they are now: what others changed meanwhile is not undone.
 */
export function changesOf<Parts extends object>(begun: Parts, draft: Parts, now: Parts): Partial<Parts> {
  const names = Object.keys(draft) as (keyof Parts)[];
  const changed = names.filter(name => !isSame(draft[name], begun[name]));
  return Object.fromEntries(
    changed.map(name => [name, withFields(begun[name], draft[name], now[name])]),
  ) as Partial<Parts>;
}

function withFields(begun: unknown, draft: unknown, now: unknown): unknown {
  if (!hasFields(begun) || !hasFields(draft) || !hasFields(now)) return draft;
  const names = [...new Set([...Object.keys(now), ...Object.keys(draft)])];
  return Object.fromEntries(
    names
      .map(name => [name, isSame(draft[name], begun[name]) ? now[name] : draft[name]] as const)
      .filter(([, value]) => value !== undefined),
  );
}

const hasFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
