import { z } from 'zod';
import type { EventSummary } from './dashboard-events.ts';
import { MOST_TRAIT_BYTES } from './entity-limits.ts';
import {
  entityKind,
  eventState,
  externalId,
  jsonObject,
  parseTimestamp,
  textOf,
  timestamp,
} from './event.ts';
import { pagingQuery } from './paging.ts';

/** The shapes of the second public API: entities, the graph that they form, and the events of each. */
export const MOST_ENTITIES_AT_ONCE = 1_000;
const MOST_GRAPH_DEPTH = 5;

/** A relation stands in a path like a kind, under the same rules. */
export const relation = entityKind.meta({ examples: ['same_as'] });

const traits = jsonObject.meta({
  description: `What is known about it. At most ${MOST_TRAIT_BYTES / 1024} KiB of JSON.`,
  examples: [{ plan: 'pro', seats: 5 }],
});

export const traitsBody = z.strictObject({ traits });

export const entityBody = z.strictObject({
  kind: entityKind,
  external_id: externalId,
  traits: traits.optional().meta({
    description: 'Merged into the existing traits, by JSON Merge Patch: `null` removes. Default: `{}`.',
    examples: [{ plan: 'pro', seats: 5 }],
  }),
});

export const entitiesBody = z.strictObject({
  entities: z
    .array(entityBody)
    .min(1, 'must hold at least one entity.')
    .max(MOST_ENTITIES_AT_ONCE, `may hold at most ${MOST_ENTITIES_AT_ONCE} entities.`)
    .meta({ description: 'All of them are written, or none.' }),
});

const time = z.string().meta({ format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] });

export const entityRecord = z.object({
  kind: z.string().meta({ examples: ['customer'] }),
  external_id: z.string().meta({ examples: ['c_42'] }),
  traits: jsonObject,
  version: z.int().meta({ description: 'Starts at 1 and increases by 1 with each write.' }),
  created_at: time,
  updated_at: time,
});
export type EntityRecord = z.infer<typeof entityRecord>;
/** With when each trait was last written, for people. */
export type TimedEntityRecord = EntityRecord & { readonly trait_times: Readonly<Record<string, string>> };

export const deleted = z.object({ deleted: z.literal(true) });

const reference = z.object({ kind: z.string(), external_id: z.string() });

export const entityLink = z.object({
  relation: z.string(),
  from: reference,
  to: reference,
  created_at: time,
});
export type EntityLinkRecord = z.infer<typeof entityLink>;

export const entityGraph = z.object({
  nodes: z.array(entityRecord),
  edges: z.array(entityLink),
  truncated: z.boolean().meta({ description: 'Whether there is more than is shown here.' }),
});
export type EntityGraphRecord = z.infer<typeof entityGraph>;

export const entityIdentity = z.object({
  members: z.array(entityRecord).meta({ description: 'By kind and external_id.' }),
  traits: jsonObject.meta({ description: 'The latest value of each trait.' }),
  provenance: z
    .record(z.string(), reference.extend({ updated_at: time }))
    .meta({ description: 'For each trait the entity it came from, and when it was written there.' }),
  truncated: z.boolean().meta({ description: 'Whether there are more members than are shown here.' }),
});
export type EntityIdentityRecord = z.infer<typeof entityIdentity>;

export const entityEvent = z.object({
  id: z.string(),
  type: z.string(),
  icon: z.string().nullable(),
  payload: jsonObject.nullable().meta({ description: 'null once it was erased.' }),
  state: eventState,
  entity: reference,
  timestamp: time,
  received_at: time,
  erased_at: time.nullable().meta({ description: 'When its payload was erased on request.' }),
});
export type EntityEventRecord = z.infer<typeof entityEvent>;
/** With what became of it, for people. */
export type ShownEntityEvent = EntityEventRecord & Pick<EventSummary, 'outcome' | 'delivery_states'>;

/** What a list of entities can be narrowed by, beside `trait.<path>`. A kind that cannot be finds nothing. */
export const entitiesQuery = z.strictObject({
  kind: textOf(1, 256).optional(),
  external_id: textOf(1, 1_024).optional(),
  /** Exclusive. */
  updated_after: timestamp.transform(text => parseTimestamp(text) ?? 0).optional(),
  ...pagingQuery,
});

const flag = z.enum(['true', 'false']).transform(text => text === 'true');

export const deleteQuery = z.strictObject({ erase_events: flag.default(false) });
export const graphQuery = z.strictObject({
  depth: z
    .string()
    .refine(
      text => /^\d$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_GRAPH_DEPTH,
      `must be a whole number from 1 to ${MOST_GRAPH_DEPTH}.`,
    )
    .transform(Number)
    .default(1),
});
export const linksQuery = z.strictObject({ direction: z.enum(['in', 'out']).optional(), ...pagingQuery });
export const entityEventsQuery = z.strictObject({ identity: flag.default(false), ...pagingQuery });
