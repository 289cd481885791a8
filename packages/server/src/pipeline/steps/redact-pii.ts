import { z } from 'zod';
import { Budget } from '../../core/expressions/cel/budget.ts';
import { readAt } from '../../core/expressions/expression-error.ts';
import {
  type Path,
  type PathSegment,
  parsePath,
  putField,
  removePaths,
} from '../../core/expressions/path.ts';
import { type Json, type JsonObject, joinPath } from '../../core/json/json.ts';
import { defineStep, withinBudget } from '../step.ts';
import { isRegion } from './redact/phone.ts';
import { createDetectors, detectorNames, type Replace, redactText } from './redact/redact-text.ts';

const paths = z.array(z.string()).max(500, 'may hold at most 500 paths.').default([]);

/**
 * What one event may cost. Its cost grows with the payload and with nothing that a user writes, so it is bounded by
 * steps: a megabyte of anything ordinary takes less than half of these, on every machine, and several of them that
 * were made to cost more are cut. The time is for what the steps do not see; it ends before the thread's watch takes
 * the thread for stuck.
 */
export const MOST_REDACTION_STEPS = 60_000_000;
const MOST_REDACTION_MS = 2_500;

/** The step that replaces personal data in every text of the payload. */
export const redactPii = defineStep({
  name: 'redact.pii',
  title: 'Redact personal data',
  class: 'mutating',
  needs: ['digest'],
  docs:
    'Finds personal data in every text of the payload, at any depth and in the names of fields too, and masks it ' +
    '(`[email]`), removes it, or puts a hash in its place that is the same for the same value (`[email:3f…]`). ' +
    'Telephone numbers are found in international form, and in national form where a region is given; blanks, hyphens ' +
    'and digits may be those of any script in the basic plane of Unicode. Only strings are examined, not numbers. `fields` are always removed, `keep` is never touched.',
  config: z.strictObject({
    detectors: z
      .array(z.enum(detectorNames))
      .default([...detectorNames])
      .meta({ title: 'Detectors' }),
    fields: paths.meta({ title: 'Fields to always remove' }),
    keep: paths.meta({ title: 'Fields to keep' }),
    mode: z.enum(['mask', 'remove', 'hash']).default('mask').meta({ title: 'Mode' }),
    region: z
      .string()
      .refine(isRegion, 'must be a country such as "DE".')
      .optional()
      .meta({ title: 'Region of national telephone numbers' }),
  }),
  examples: [
    { title: 'Everything that is found', config: {} },
    {
      title: 'Hashes, to tell people apart without knowing them',
      config: { detectors: ['email', 'phone'], mode: 'hash', region: 'DE', keep: ['shop.contact'] },
    },
    { title: 'A field that is always private', config: { fields: ['customer.birthday'] } },
  ],

  compile(config, path) {
    const read = (name: 'fields' | 'keep') =>
      config[name].map((text, i) => readAt(joinPath(`${path}.${name}`, i), () => parsePath(text)));
    const fields = read('fields');
    const kept = treeOf(read('keep'));
    const region = config.region !== undefined && isRegion(config.region) ? config.region : null;
    const detectors = createDetectors(config.detectors, region);
    return {
      readsTraits: false,
      bind: ({ digest }) => {
        const replacements: Readonly<Record<typeof config.mode, (orgId: string) => Replace>> = {
          mask: () => detector => `[${detector.name}]`,
          remove: () => () => '',
          hash: orgId => (detector, found) =>
            `[${detector.name}:${digest(`redact ${orgId}`, detector.normalise(found)).slice(0, 16)}]`,
        };
        return ({ orgId, scope }) =>
          withinBudget(budget => {
            const replace = replacements[config.mode](orgId);
            const stripped = removePaths(scope.payload, fields, budget);
            const clean: Clean = (text, name) => redactText(text, detectors, replace, budget, name);
            const payload = redactValue(stripped, kept, clean, '') as JsonObject;
            return payload === scope.payload ? { kind: 'keep' } : { kind: 'keep', payload };
          }, new Budget(MOST_REDACTION_STEPS, MOST_REDACTION_MS));
      },
    };
  },
});

/** Where not to look, by the way there. */
interface KeepTree {
  isKept: boolean;
  readonly below: Map<PathSegment, KeepTree>;
}

function treeOf(kept: readonly Path[]): KeepTree | undefined {
  if (kept.length === 0) return undefined;
  const root: KeepTree = { isKept: false, below: new Map() };
  for (const path of kept) {
    let tree = root;
    for (const segment of path) {
      const inner = tree.below.get(segment) ?? { isKept: false, below: new Map() };
      tree.below.set(segment, inner);
      tree = inner;
    }
    tree.isKept = true;
  }
  return root;
}

/** A text without what is personal in it; a field of this name holds it. */
type Clean = (text: string, name: string) => string;

/** The same value where nothing was found in it. */
function redactValue(value: Json, kept: KeepTree | undefined, clean: Clean, name: string): Json {
  if (kept?.isKept) return value;
  if (typeof value === 'string') return clean(value, name);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? redactList(value, kept, clean, name) : redactObject(value, kept, clean);
}

function redactList(list: Json[], kept: KeepTree | undefined, clean: Clean, name: string): Json[] {
  let changed: Json[] | null = null;
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as Json;
    const redacted = redactValue(item, kept?.below.get(i), clean, name);
    if (redacted === item) continue;
    changed ??= [...list];
    changed[i] = redacted;
  }
  return changed ?? list;
}

function redactObject(object: JsonObject, kept: KeepTree | undefined, clean: Clean): JsonObject {
  let changed: JsonObject | null = null;
  const keys = Object.keys(object);
  const names = new Map<string, number>();
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const value = object[key] as Json;
    const below = kept?.below.get(key);
    const name = below === undefined ? clean(key, '') : key;
    // By the name that it keeps, so that what is redacted once more stays as it is.
    const redacted = redactValue(value, below, clean, name);
    if (changed === null) {
      if (name === key && redacted === value) continue;
      changed = {};
      for (const before of keys.slice(0, i)) putField(changed, before, object[before] as Json);
    }
    putField(changed, name === key ? key : freeName(name, names, object, changed), redacted);
  }
  return changed ?? object;
}

/**
 * Names may look the same once redacted, and no field is to be lost. Letters tell them apart: digits may mean
 * something.
 */
function freeName(name: string, given: Map<string, number>, object: JsonObject, changed: JsonObject): string {
  for (let n = given.get(name) ?? 0; ; n++) {
    const free = n === 0 ? name : `${name} (${letters(n)})`;
    if (Object.hasOwn(object, free) || Object.hasOwn(changed, free)) continue;
    given.set(name, n + 1);
    return free;
  }
}

const letters = (n: number): string =>
  n.toString(26).replace(/./g, digit => String.fromCharCode(97 + Number.parseInt(digit, 26)));
