import { nameKind, type ValueKind } from './value.ts';

/**
 * What is known of a value before there is an event. Whatever comes out of a payload is `dyn`; numbers are one
 * type, as they are one kind of value.
 */
export type CelType =
  | { readonly kind: 'dyn' | Exclude<ValueKind, 'list' | 'map'> }
  | { readonly kind: 'list'; readonly item: CelType }
  | MapType;

interface MapType {
  readonly kind: 'map';
  readonly value: CelType;
  /** Where every field is known, as of `event`. */
  readonly fields?: Readonly<Record<string, CelType>>;
}

export const DYN: CelType = { kind: 'dyn' };
export const NULL: CelType = { kind: 'null' };
export const BOOL: CelType = { kind: 'bool' };
export const NUMBER: CelType = { kind: 'number' };
export const STRING: CelType = { kind: 'string' };
export const TIMESTAMP: CelType = { kind: 'timestamp' };
export const DURATION: CelType = { kind: 'duration' };
export const listOf = (item: CelType): CelType => ({ kind: 'list', item });
export const mapOf = (value: CelType): CelType => ({ kind: 'map', value });
export const recordOf = (fields: Readonly<Record<string, CelType>>): CelType => ({
  kind: 'map',
  value: DYN,
  fields,
});

export const isDyn = ({ kind }: CelType): boolean => kind === 'dyn';
export const isBoolean = ({ kind }: CelType): boolean => kind === 'bool' || kind === 'dyn';

/** What can be said of a value that is one of several. */
export function commonType(types: readonly CelType[]): CelType {
  const [first, ...rest] = types;
  return first === undefined ? DYN : rest.reduce(commonTypeOfTwo, first);
}

function commonTypeOfTwo(a: CelType, b: CelType): CelType {
  if (a === b) return a;
  if (a.kind === 'list' && b.kind === 'list') return listOf(commonTypeOfTwo(a.item, b.item));
  if (a.kind === 'map' && b.kind === 'map') return mapOf(commonTypeOfTwo(a.value, b.value));
  return a.kind === b.kind ? a : DYN;
}

/**
 * Whether any two values of these types are equal. A list or a map of whatever type may be empty, so that only the
 * kinds of their items say nothing.
 */
export const mayEqual = (a: CelType, b: CelType): boolean => isDyn(a) || isDyn(b) || a.kind === b.kind;

export const nameType = ({ kind }: CelType): string => (kind === 'dyn' ? 'any value' : nameKind(kind));
