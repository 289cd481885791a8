import type { Config } from '../../components/kind-form/schema.ts';
import { stringifyExact } from '../../lib/api/exact-json.ts';
import type { DraftStep } from './draft.ts';

/** What a dry run cannot tell as long as models are not asked. */

/** What models are asked for, each with what they may answer. */
export function askedLabels(steps: readonly DraftStep[]): { label: string; values: string[] }[] {
  return steps.flatMap(({ config }) => {
    const { label, labels, default_label } = config;
    if (typeof label !== 'string' || !Array.isArray(labels)) return [];
    const values = [...labels, default_label].filter(value => typeof value === 'string');
    return [{ label, values: [...new Set(values)] }];
  });
}

/** Of these labels the one that a condition reads, be it through a field that a step before has filled with it. */
export function labelReadBy(
  condition: string,
  labels: readonly string[],
  before: readonly Pick<DraftStep, 'config'>[],
): string | undefined {
  const told = labels.map((label): Unknown => ({ root: 'labels', path: label, label }));
  let filled: readonly Unknown[] = [];
  for (const { config } of before) filled = filledAfter(config, told, filled);
  return readBy(condition, [...told, ...filled]);
}

/** What holds a label, or depends on one. */
interface Unknown {
  readonly root: 'labels' | 'payload';
  readonly path: string;
  readonly label: string;
  /** It holds all labels, each under its name: what is read of another name depends on none. */
  readonly isWhole?: boolean;
}

const readBy = (text: string, unknown: readonly Unknown[]): string | undefined =>
  unknown.find(one => patternOf(one)?.test(text))?.label;

/** A half-typed name matches nothing. */
function patternOf({ root, path, isWhole }: Unknown): RegExp | null {
  if (!/^\w+(\.\w+)*$/.test(path)) return null;
  const parts = path
    .split('.')
    .map(name => `\\s*(\\.\\s*${name}\\b|\\[\\s*\\\\?["']${name}\\\\?["']\\s*\\])`);
  return new RegExp(`\\b${root}${parts.join('')}${isWhole ? '(?!\\s*[.[])' : ''}`);
}

const allLabels = /\blabels\b(?!\s*[.[])/;

/** The fields of the payload that depend on a label once a step has run, in the order in which it changes them. */
function filledAfter(
  { rename, set, template, remove }: Config,
  told: readonly Unknown[],
  filled: readonly Unknown[],
): readonly Unknown[] {
  const copies = (values: object, unknown: readonly Unknown[]): Unknown[] =>
    Object.entries(values).flatMap(([path, value]) =>
      copiedTo(path, stringifyExact(value, 0), told, [...told, ...unknown]),
    );
  if (isObject(template)) return copies(template, filled);
  const moves = Object.entries(isObject(rename) ? rename : {}).map(([from, to]) => ({
    from,
    to: String(to),
  }));
  const renamed = [
    ...without(
      filled,
      moves.flatMap(({ from, to }) => [from, to]),
    ),
    ...moves.flatMap(move => filled.flatMap(one => movedBy(move, one))),
  ];
  const values = isObject(set) ? set : {};
  const isFilled = [...without(renamed, Object.keys(values)), ...copies(values, renamed)];
  return without(isFilled, Array.isArray(remove) ? remove.map(String) : []);
}

/** What a value that is put there brings. */
function copiedTo(
  path: string,
  value: string,
  told: readonly Unknown[],
  unknown: readonly Unknown[],
): Unknown[] {
  const label = readBy(value, unknown);
  const [first] = told;
  if (first && allLabels.test(value)) {
    const each = told.map((one): Unknown => ({ ...one, root: 'payload', path: `${path}.${one.label}` }));
    return [...each, { root: 'payload', path, label: label ?? first.label, isWhole: label === undefined }];
  }
  return label === undefined ? [] : [{ root: 'payload', path, label }];
}

function movedBy({ from, to }: { from: string; to: string }, one: Unknown): Unknown[] {
  if (isWithin(one.path, from)) return [{ ...one, path: `${to}${one.path.slice(from.length)}` }];
  return isWithin(from, one.path) && !one.isWhole ? [{ ...one, path: to }] : [];
}

const without = (filled: readonly Unknown[], paths: readonly string[]): readonly Unknown[] =>
  filled.filter(one => !paths.some(path => isWithin(one.path, path)));

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
