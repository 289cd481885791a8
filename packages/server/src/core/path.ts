import { ExpressionError } from './expression-error.ts';
import { type Json, type JsonObject, joinPath } from './json.ts';

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

export type SetResult =
  | { readonly kind: 'set'; readonly root: JsonObject }
  /** Something else stands in the way, and would be lost. */
  | { readonly kind: 'blocked'; readonly reason: string };

/** Sets a value, making the objects and arrays on the way to it. A list may grow by one at its end. */
export function setPath(root: JsonObject, path: Path, value: Json): SetResult {
  const set = setIn(root, path, 0, value);
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
    const inner = setIn(container[segment], path, depth + 1, value);
    return typeof inner === 'string' ? inner : { value: container.toSpliced(segment, 1, inner.value) };
  }
  if (typeof segment === 'number') return `${here()} is an object, which has no [${segment}]`;
  const inner = setIn(childOf(container, segment), path, depth + 1, value);
  if (typeof inner === 'string') return inner;
  const copy = { ...container };
  putField(copy, segment, inner.value);
  return { value: copy };
}

/** The same object where there is nothing to remove. What is removed from a list closes up. */
export function removePath(root: JsonObject, path: Path): JsonObject {
  return removeIn(root, path, 0) as JsonObject;
}

function removeIn(current: Json, path: Path, depth: number): Json {
  const segment = path[depth];
  if (segment === undefined) return current;
  const child = childOf(current, segment);
  if (child === undefined) return current;
  const isLast = depth === path.length - 1;
  const inner = isLast ? undefined : removeIn(child, path, depth + 1);
  if (inner === child) return current;
  if (Array.isArray(current))
    return inner === undefined
      ? current.toSpliced(segment as number, 1)
      : current.with(segment as number, inner);
  const copy = { ...(current as JsonObject) };
  if (inner === undefined) delete copy[segment];
  else putField(copy, segment as string, inner);
  return copy;
}

/** Removes all of them, each counted in the payload as it was: later items of a list go first. */
export function removePaths(root: JsonObject, paths: readonly Path[]): JsonObject {
  const [only] = paths;
  if (only === undefined) return root;
  return paths.length === 1 ? removePath(root, only) : paths.toSorted(laterFirst).reduce(removePath, root);
}

function laterFirst(a: Path, b: Path): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [left, right] = [a[i], b[i]];
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return right - left;
    return String(left) < String(right) ? -1 : 1;
  }
  return b.length - a.length;
}
