import type { PipelineRecord } from '@sluice/contract/dashboard-pipelines';
import type { Config } from '../../components/kind-form/schema.ts';
import { stringifyExact } from '../../lib/api/exact-json.ts';
import { copyName } from '../../lib/copy-name.ts';

/** A pipeline while it is being written. */
export interface PipelineDraft {
  readonly name: string;
  readonly enabled: boolean;
  readonly sources: readonly string[];
  readonly steps: readonly DraftStep[];
  readonly destinations: readonly DraftDestination[];
}

export interface DraftStep {
  /** Steps have no names; this tells them apart while they are moved about. */
  readonly key: string;
  readonly kind: string;
  readonly config: Config;
}

export interface DraftDestination {
  readonly id: string;
  readonly when?: string | undefined;
}

const emptyDraft: PipelineDraft = {
  name: '',
  enabled: true,
  sources: [],
  steps: [],
  destinations: [],
};

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A new one, between a source and a destination where somebody comes from these. */
export const beginBetween = (source: Named | undefined, destination: Named | undefined): PipelineDraft => ({
  ...emptyDraft,
  name: source && destination ? `${source.name} to ${destination.name}` : '',
  sources: source ? [source.id] : [],
  destinations: destination ? [{ id: destination.id }] : [],
});

type Definition = Pick<PipelineRecord, 'name' | 'enabled' | 'sources' | 'steps' | 'destinations'>;

export const toDraft = ({ name, enabled, sources, steps, destinations }: Definition): PipelineDraft => ({
  name,
  enabled,
  sources,
  steps: steps.map(({ kind, config }, place) => ({ key: `${place}`, kind, config })),
  destinations,
});

/** Disabled, so that nothing is sent twice before somebody has looked at it. */
export const toCopy = (original: Definition): PipelineDraft => ({
  ...toDraft(original),
  name: copyName(original.name),
  enabled: false,
});

/** What is sent to the server: the whole of it. */
export const toBody = ({ name, enabled, sources, steps, destinations }: PipelineDraft) => ({
  name,
  enabled,
  sources,
  steps: steps.map(({ kind, config }) => ({ kind, config })),
  destinations: destinations.map(({ id, when }) => (when === undefined ? { id } : { id, when })),
});

/** Only what was changed, so that turning a pipeline off makes no version. */
export function draftChanges(draft: PipelineDraft, saved: PipelineDraft): Partial<ReturnType<typeof toBody>> {
  const before: Record<string, unknown> = toBody(saved);
  return Object.fromEntries(
    Object.entries(toBody(draft)).filter(
      ([name, value]) => stringifyExact(value, 0) !== stringifyExact(before[name], 0),
    ),
  );
}

export const isChanged = (draft: PipelineDraft, saved: PipelineDraft): boolean =>
  Object.keys(draftChanges(draft, saved)).length > 0;

/** A key that no step has. */
const freshKey = (steps: readonly DraftStep[]): string =>
  String(Math.max(-1, ...steps.map(({ key }) => Number(key))) + 1);

export const addStep = (steps: readonly DraftStep[], kind: string, config: Config = {}): DraftStep[] => [
  ...steps,
  { key: freshKey(steps), kind, config },
];

/** The same again, right below. A secret that is only known to be set cannot be copied along. */
export function duplicateStep(
  steps: readonly DraftStep[],
  key: string,
  secrets: readonly string[],
): DraftStep[] {
  return steps.flatMap(step =>
    step.key === key
      ? [step, { ...step, key: freshKey(steps), config: withoutSecrets(step.config, secrets) }]
      : [step],
  );
}

const withoutSecrets = (config: Config, secrets: readonly string[]): Config =>
  secrets.reduce((left, secret) => without(left, secret.split('.')), config);

function without(config: Config, [name = '', ...rest]: readonly string[]): Config {
  const inner = config[name];
  if (rest.length === 0 || typeof inner !== 'object' || inner === null) {
    const { [name]: _, ...others } = config;
    return rest.length === 0 ? others : config;
  }
  return { ...config, [name]: without(inner as Config, rest) };
}

export function moveStep(steps: readonly DraftStep[], from: string, to: string): DraftStep[] {
  const moved = steps.find(({ key }) => key === from);
  const place = steps.findIndex(({ key }) => key === to);
  const others = steps.filter(({ key }) => key !== from);
  return moved === undefined || place < 0 ? [...steps] : others.toSpliced(place, 0, moved);
}

/** The step or destination that an error of the server is about, by its place. */
export function placeOf(list: 'steps' | 'destinations', path: string | null): number | null {
  const [, place] = new RegExp(`^(?:pipeline\\.)?${list}\\[(\\d+)\\]`).exec(path ?? '') ?? [];
  return place === undefined ? null : Number(place);
}

/** What a step does, on one line: the first things that its configuration says. */
export function summaryOf(config: Config): string {
  const said = Object.entries(config).flatMap(([name, value], place) => textsOf(name, value, place === 0));
  return said.slice(0, 3).join(' · ');
}

/** Each with its name, as in `remove notes` and `window s 3600`; but for a text at the beginning, which speaks for itself. */
function textsOf(field: string, value: unknown, isFirst: boolean): string[] {
  const name = field.replaceAll('_', ' ');
  if (typeof value === 'string') return value === '' ? [] : [isFirst ? value : `${name} ${value}`];
  if (typeof value === 'number' || typeof value === 'bigint') return [`${name} ${value}`];
  if (value === true) return [name];
  if (Array.isArray(value)) return value.length === 0 ? [] : [`${name} ${value.map(String).join(', ')}`];
  if (typeof value !== 'object' || value === null) return [];
  const names = Object.keys(value);
  return names.length === 0 || names.includes('set') ? [] : [`${name} ${names.join(', ')}`];
}
