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
  const unknown = labels.flatMap(label => unknownAt('labels', label, label));
  for (const { config } of before) {
    for (const [path, value] of written(config)) {
      const label = readBy(value, unknown);
      if (label !== undefined) unknown.push(...unknownAt('payload', path, label));
    }
  }
  return readBy(condition, unknown);
}

interface Unknown {
  readonly label: string;
  /** Whatever reads it. */
  readonly pattern: RegExp;
}

const readBy = (text: string, unknown: readonly Unknown[]): string | undefined =>
  unknown.find(({ pattern }) => pattern.test(text))?.label;

/** What is no plain name, since it is being typed, none reads. */
function unknownAt(root: 'labels' | 'payload', path: string, label: string): Unknown[] {
  if (!/^\w+(\.\w+)*$/.test(path)) return [];
  const parts = path
    .split('.')
    .map(name => `\\s*(\\.\\s*${name}\\b|\\[\\s*\\\\?["']${name}\\\\?["']\\s*\\])`);
  return [{ label, pattern: new RegExp(`\\b${root}${parts.join('')}`) }];
}

/** The fields of the payload that a step fills, each with the text that it is filled from. */
function written({ rename, set, template }: Config): [string, string][] {
  const filled = Object.entries({ ...fieldsOf(set), ...fieldsOf(template) });
  return [
    ...Object.entries(fieldsOf(rename)).map(([from, to]): [string, string] => [
      String(to),
      `payload.${from}`,
    ]),
    ...filled.map(([path, value]): [string, string] => [path, stringifyExact(value, 0)]),
  ];
}

const fieldsOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
