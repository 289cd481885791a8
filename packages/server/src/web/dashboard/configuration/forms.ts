import { pipelineDefinition } from '@sluice/contract';
import { destinationBody } from '@sluice/contract/dashboard-deliveries';
import { sourceBody } from '@sluice/contract/dashboard-sources';
import { z } from 'zod';
import { invalid } from '../../../core/errors.ts';
import { SYSTEM_SOURCE_NAME } from '../../../core/event/system-source.ts';
import { validate } from '../../../core/http/validate.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { isKeyOf } from './keys.ts';

/**
 * Sources, destinations and pipelines as a file has them: every setting, in an order that does not change, without
 * ids and secrets. What a file leaves out has its default. Reading one throws a 400 that names the field.
 */

export type SourceInput = z.output<typeof sourceBody>;
export type WebhookInput = Extract<SourceInput, { kind: 'webhook' }>;

export interface SourceForm {
  readonly name: string;
  readonly enabled: boolean;
  readonly input: SourceInput;
}

const itemHead = z.looseObject({ name: z.string().optional() });

/** The key stands for the name, unless that is given. */
function nameOf(key: string, given: JsonObject): string {
  const { name = key } = validate(itemHead, given);
  if (!isKeyOf(key, name))
    throw invalid(
      'name',
      `name must be left out, unless the key is ${name}, or ${name} #2 if there are several.`,
    );
  if (name !== name.trim()) throw invalid('name', 'name must not begin or end with a blank.');
  return name;
}

export function readSourceForm(key: string, given: JsonObject): SourceForm {
  if (key === SYSTEM_SOURCE_NAME)
    throw invalid(
      'name',
      `${key} is the source of system events, which every organisation has: write ${key} #2, or choose another name.`,
    );
  const name = nameOf(key, given);
  const { enabled, name: _name, ...rest } = given;
  for (const field of ['secret', 'verify_token']) {
    if (rest[field] !== undefined)
      throw invalid(field, `${field} does not belong in a file: you enter it when it is needed.`);
  }
  const input = validate(sourceBody, { ...rest, name });
  return { name, enabled: readFlag('enabled', enabled, true), input };
}

function readFlag(field: string, value: Json | undefined, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (typeof value !== 'boolean') throw invalid(field, `${field} must be true or false.`);
  return value;
}

export const showSourceForm = (key: string, { name, enabled, input }: SourceForm): JsonObject => ({
  ...named(key, name),
  kind: input.kind,
  enabled,
  ...(input.kind === 'sdk' ? { match: input.match } : shownWebhook(input)),
  ...present({ expect_every_minutes: input.expect_every_minutes }),
});

const shownWebhook = ({
  auth,
  provider,
  url,
  public_key,
  verify_with,
  scheme,
  type_from,
  rate,
}: WebhookInput) =>
  present({
    auth,
    provider,
    url,
    public_key,
    verify_with,
    scheme,
    type_from,
    rate: { per_second: rate.per_second, burst: rate.burst },
  });

const destinationForm = z.strictObject({
  name: z.string().optional(),
  kind: z.string(),
  paused: z.boolean().default(false),
  config: destinationBody.shape.config,
  policy: destinationBody.shape.policy,
});

interface DestinationForm extends Omit<z.output<typeof destinationForm>, 'name' | 'config'> {
  readonly name: string;
  readonly config: JsonObject;
}

export const readDestinationForm = (key: string, given: JsonObject): DestinationForm => ({
  ...(validate(destinationForm, given) as Omit<DestinationForm, 'name'>),
  name: validate(destinationBody.shape.name, nameOf(key, given), 'name'),
});

export const showDestinationForm = (
  key: string,
  { name, kind, paused, config, policy }: DestinationForm,
): JsonObject => ({
  ...named(key, name),
  kind,
  paused,
  ...filled('config', config),
  policy: {
    attempts: policy.attempts,
    schedule_s: policy.schedule_s,
    timeout_s: policy.timeout_s,
    concurrency: policy.concurrency,
    rate_per_second: policy.rate_per_second,
  },
});

const { sources, steps, enabled } = pipelineDefinition.shape;
const pipelineForm = z.strictObject({
  name: z.string().optional(),
  enabled,
  /** By their keys. */
  sources,
  steps,
  destinations: z.array(z.strictObject({ name: z.string(), when: z.string().optional() })).default([]),
});

interface PipelineForm extends Omit<z.output<typeof pipelineForm>, 'name'> {
  readonly name: string;
}

export const readPipelineForm = (key: string, given: JsonObject): PipelineForm => ({
  ...validate(pipelineForm, given),
  name: nameOf(key, given),
});

export const showPipelineForm = (key: string, form: PipelineForm): JsonObject => ({
  ...named(key, form.name),
  enabled: form.enabled,
  sources: [...form.sources],
  steps: form.steps.map(({ kind, config }) => ({
    kind,
    ...filled('config', config as JsonObject),
  })),
  destinations: form.destinations.map(({ name, when }) => present({ name, when })),
});

const filled = (field: string, value: JsonObject): JsonObject =>
  Object.keys(value).length === 0 ? {} : { [field]: value };

const named = (key: string, name: string): JsonObject => (key === name ? {} : { name });

const present = (fields: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as JsonObject;
