import { type Json, type JsonObject, joinPath } from '../json/json.ts';
import type { Budget } from './cel/budget.ts';
import { ExpressionError } from './expression-error.ts';

/**
 * Paths into a payload: `a.b`, `a[0]`, `a["x.y"]`. A key is data whatever it is called: `__proto__` names a field
 * of that name and never reaches a prototype. Nothing is changed in place; what changes is copied along its path,
 * so that a state before and a state after can be kept side by side at no cost.
 */
export type PathSegment = string | number;
export type Path = readonly PathSegment[];

const MOST_SEGMENTS = 64;
const NAME = /[^.[\]"\s]+/y;
const INDEX = /\[(\d{1,6})\]/y;
const QUOTED = /\[("(?:[^"\\]|\\.)*")\]/y;

export function parsePath(text: string): Path {
  const segments: PathSegment[] = [];
  let at = 0;
  while (at < text.length || segments.length === 0) {
    if (segments.length === MOST_SEGMENTS)
      throw new ExpressionError(`A path may have at most ${MOST_SEGMENTS} parts`, at);
    const start = at;
    if (segments.length > 0 && text[at] === '.') at++;
    const found = at > start || segments.length === 0 ? read(NAME, text, at) : null;
    const segment = found ?? (at === start ? readBracket(text, at) : null);
    if (segment === null)
      throw new ExpressionError('A path reads like a.b, a[0] or a["x.y"]', Math.min(at, text.length));
    segments.push(segment.value);
    at = segment.end;
  }
  return segments;
}

interface ReadSegment {
  readonly value: PathSegment;
  readonly end: number;
}

function read(pattern: RegExp, text: string, at: number): { value: string; end: number } | null {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match && { value: match[1] ?? match[0], end: pattern.lastIndex };
}

function readBracket(text: string, at: number): ReadSegment | null {
  const index = read(INDEX, text, at);
  if (index !== null) return { value: Number(index.value), end: index.end };
  const quoted = read(QUOTED, text, at);
  if (quoted === null) return null;
  try {
    return { value: JSON.parse(quoted.value) as string, end: quoted.end };
  } catch {
    return null;
  }
}

export const formatPath = (path: Path): string => path.reduce<string>(joinPath, '');

/** The value there, or undefined where there is none. */
export function getPath(root: Json, path: Path): Json | undefined {
  let value: Json | undefined = root;
  for (const segment of path) {
    value = childOf(value, segment);
    if (value === undefined) return undefined;
  }
  return value;
}

function childOf(value: Json, segment: PathSegment): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return typeof segment === 'number' ? value[segment] : undefined;
  return typeof segment === 'string' && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

/** Plain assignment would let a key named `__proto__` replace the object's prototype. */
export function putField(target: JsonObject, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  else target[key] = value;
}

type SetResult =
  | { readonly kind: 'set'; readonly root: JsonObject }
  /** Something else stands in the way, and would be lost. */
  | { readonly kind: 'blocked'; readonly reason: string };

/**
 * What was copied for a change, and belongs to nobody else yet: the next change to the same payload is made in place.
 * Copying a large object again for each of many fields would take minutes.
 */
export type Copies = Set<Json>;

/** Sets a value, making the objects and arrays on the way to it. A list may grow by one at its end. */
export function setPath(root: JsonObject, path: Path, value: Json, copies: Copies = new Set()): SetResult {
  const set = setIn(root, path, 0, value, copies);
  return typeof set === 'string'
    ? { kind: 'blocked', reason: set }
    : { kind: 'set', root: set.value as JsonObject };
}

/** A string says why it cannot be done. */
function setIn(
  current: Json | undefined,
  path: Path,
  depth: number,
  value: Json,
  copies: Copies,
): { readonly value: Json } | string {
  if (depth === path.length) return { value };
  const segment = path[depth] as PathSegment;
  const container = current ?? (typeof segment === 'number' ? [] : {});
  const here = () => formatPath(path.slice(0, depth)) || 'the payload';
  if (typeof container !== 'object') return `${here()} holds a ${typeof container}`;
  if (Array.isArray(container)) {
    if (typeof segment !== 'number') return `${here()} is a list, which has no field ${segment}`;
    if (segment > container.length)
      return `${here()} has ${container.length} items, so it has no [${segment}]`;
    const inner = setIn(container[segment], path, depth + 1, value, copies);
    if (typeof inner === 'string') return inner;
    const copy = ownCopy(container, copies);
    copy[segment] = inner.value;
    return { value: copy };
  }
  if (typeof segment === 'number') return `${here()} is an object, which has no [${segment}]`;
  const inner = setIn(childOf(container, segment), path, depth + 1, value, copies);
  if (typeof inner === 'string') return inner;
  const copy = ownCopy(container, copies);
  putField(copy, segment, inner.value);
  return { value: copy };
}

function ownCopy<T extends Json[] | JsonObject>(container: T, copies: Copies): T {
  if (copies.has(container)) return container;
  const copy = (Array.isArray(container) ? [...container] : { ...container }) as T;
  copies.add(copy);
  return copy;
}

interface Removing {
  readonly copies: Copies;
  readonly budget: Budget;
}

function removeIn(current: Json, path: Path, depth: number, removing: Removing): Json {
  const segment = path[depth];
  if (segment === undefined) return current;
  const child = childOf(current, segment);
  if (child === undefined) return current;
  const isLast = depth === path.length - 1;
  const inner = isLast ? undefined : removeIn(child, path, depth + 1, removing);
  if (inner === child) return current;
  const copy = ownCopy(current as Json[] | JsonObject, removing.copies);
  if (Array.isArray(copy)) {
    if (inner !== undefined) copy[segment as number] = inner;
    else {
      removing.budget.spend(1 + (copy.length >> 5));
      copy.splice(segment as number, 1);
    }
  } else if (inner === undefined) delete copy[segment];
  else putField(copy, segment as string, inner);
  return copy;
}

/**
 * Removes all of them, each counted in the payload as it was: later items of a list go first. Answers the same object
 * where there is nothing to remove. What is removed from a list closes up.
 */
export function removePaths(root: JsonObject, paths: readonly Path[], budget: Budget): JsonObject {
  if (paths.length === 0) return root;
  budget.spend(paths.length * STEPS_A_PATH);
  const removing: Removing = { copies: new Set(), budget };
  return paths
    .toSorted(laterFirst)
    .reduce((changed, path) => removeIn(changed, path, 0, removing) as JsonObject, root);
}

/** To find its place among the others. */
const STEPS_A_PATH = 16;

function laterFirst(a: Path, b: Path): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [left, right] = [a[i], b[i]];
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return right - left;
    return String(left) < String(right) ? -1 : 1;
  }
  return b.length - a.length;
}
