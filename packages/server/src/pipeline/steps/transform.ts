import { jsonObject } from '@sluice/contract';
import { z } from 'zod';
import type { Scope } from '../../core/event/scope.ts';
import type { Budget } from '../../core/expressions/cel/budget.ts';
import { readAt } from '../../core/expressions/expression-error.ts';
import {
  type Copies,
  formatPath,
  getPath,
  type Path,
  parsePath,
  removePaths,
  setPath,
} from '../../core/expressions/path.ts';
import { compileTemplate, type Template } from '../../core/expressions/template.ts';
import { type Json, type JsonObject, joinPath } from '../../core/json/json.ts';
import { type CompiledStep, defineStep, withinBudget } from '../step.ts';

// Not `z.record`, which would drop a field named `__proto__`.
const renames = jsonObject
  .refine(value => Object.values(value).every(to => typeof to === 'string'), 'must map paths to paths.')
  .meta({
    title: 'Rename',
    description: 'A path, and the path that it moves to',
    type: 'object',
    additionalProperties: { type: 'string' },
  });

/** The step that renames, sets and removes fields of the payload, or makes a new one from a template. */
export const transform = defineStep({
  name: 'transform',
  title: 'Transform',
  class: 'mutating',
  needs: [],
  docs:
    'Renames, sets and removes fields of the payload, in that order; or creates a whole new payload from a template. ' +
    'Values may hold references at any depth: `$event.payload.customer.id` takes a value with its type, and ' +
    '`{{ … }}` inside a text puts the value of a CEL expression there. What refers to something absent is left out.',
  config: z
    .strictObject({
      rename: renames.optional(),
      set: jsonObject.optional().meta({
        title: 'Set',
        description: 'A path, and a value or a reference such as $event.payload.id',
        type: 'object',
        additionalProperties: {},
      }),
      remove: z.array(z.string()).optional().meta({ title: 'Remove', description: 'Paths to remove' }),
      template: jsonObject.optional().meta({
        title: 'Template',
        description: 'A whole new payload, instead of the changes above',
        type: 'object',
      }),
    })
    .refine(
      ({ template, ...others }) => template === undefined || Object.keys(others).length === 0,
      'may have a template, or rename, set and remove, but not both.',
    ),
  examples: [
    {
      title: 'The fields that a table has',
      config: {
        rename: { 'customer.mail': 'email' },
        set: { source: '$event.source.name', summary: '{{ payload.items.size() }} items' },
        remove: ['internal'],
      },
    },
    {
      title: 'A new payload',
      config: { template: { id: '$event.payload.id', at: '$event.timestamp', kind: 'order' } },
    },
  ],

  compile(config, path) {
    if (config.template !== undefined)
      return compileWhole(compileTemplate(config.template as JsonObject, `${path}.template`));
    return compileChanges(config as FieldChanges, path);
  },
});

function compileWhole(template: Template): CompiledStep {
  return {
    readsTraits: template.readsTraits,
    check: template.check,
    bind: () => state => {
      const resolved = template.resolve(state.scope);
      return resolved.kind === 'over_budget'
        ? { kind: 'fail', reason: resolved.reason }
        : { kind: 'keep', payload: resolved.value as JsonObject };
    },
  };
}

interface FieldChanges {
  readonly rename?: Readonly<Record<string, string>>;
  readonly set?: JsonObject;
  readonly remove?: readonly string[];
}

interface Move {
  readonly from: Path;
  readonly to: Path;
}

function compileChanges({ rename = {}, set = {}, remove = [] }: FieldChanges, path: string): CompiledStep {
  const moves = Object.entries(rename).map(([from, to]) =>
    readAt(joinPath(`${path}.rename`, from), () => ({ from: parsePath(from), to: parsePath(to) })),
  );
  const targets = new Map(
    Object.keys(set).map(key => [key, readAt(joinPath(`${path}.set`, key), () => parsePath(key))]),
  );
  const values = compileTemplate(set, `${path}.set`);
  const removals = remove.map((text, i) => readAt(joinPath(`${path}.remove`, i), () => parsePath(text)));
  return {
    readsTraits: values.readsTraits,
    check: values.check,
    bind:
      () =>
      ({ scope }) =>
        withinBudget(budget => {
          const renamed = move(scope.payload, moves, budget);
          if (renamed.kind === 'fail') return renamed;
          const filled = fillIn(renamed.payload, targets, values, scope, budget);
          if (filled.kind === 'fail') return filled;
          const payload = removePaths(filled.payload, removals, budget);
          return payload === scope.payload ? { kind: 'keep' } : { kind: 'keep', payload };
        }),
  };
}

type Changed =
  | { readonly kind: 'changed'; readonly payload: JsonObject }
  | { readonly kind: 'fail'; readonly reason: string };

/** All are taken out before any is put in, so that two fields can change places. */
function move(payload: JsonObject, moves: readonly Move[], budget: Budget): Changed {
  const taken = moves.flatMap(({ from, to }) => {
    const value = getPath(payload, from);
    return value === undefined ? [] : [{ from, path: to, value }];
  });
  if (taken.length === 0) return { kind: 'changed', payload };
  const sources = taken.map(({ from }) => from);
  return put(removePaths(payload, sources, budget), taken, budget);
}

/** References see the payload after the renames and before the first of these is set. */
function fillIn(
  payload: JsonObject,
  targets: ReadonlyMap<string, Path>,
  values: Template,
  scope: Scope,
  budget: Budget,
): Changed {
  if (targets.size === 0) return { kind: 'changed', payload };
  const resolved = values.resolve({ ...scope, payload }, budget);
  if (resolved.kind === 'over_budget') return { kind: 'fail', reason: resolved.reason };
  const found = resolved.value as JsonObject;
  return put(
    payload,
    Object.keys(found).map(key => ({ path: targets.get(key) ?? [], value: found[key] as Json })),
    budget,
  );
}

function put(payload: JsonObject, fields: readonly { path: Path; value: Json }[], budget: Budget): Changed {
  let changed = payload;
  const copies: Copies = new Set();
  for (const { path, value } of fields) {
    budget.spend(2 * path.length);
    const set = setPath(changed, path, value, copies);
    if (set.kind === 'blocked')
      return { kind: 'fail', reason: `${formatPath(path)} cannot be set: ${set.reason}` };
    changed = set.root;
  }
  return { kind: 'changed', payload: changed };
}
