import type { eventFilter } from '@sluice/contract/dashboard-events';
import type { z } from 'zod';
import { toRfc3339 } from '../../../core/clock.ts';
import type { EventFilter } from '../../../core/stores/journal.ts';

type GivenFilter = z.output<z.ZodObject<typeof eventFilter>>;

/** A filter as it was given, in the words of the journal. */
export function toFilter({ entity, ...given }: GivenFilter): EventFilter {
  const { state, outcome, source, type, pipeline, destination, text, after, before } = given;
  const reference = entity && { kind: entity.kind, externalId: entity.external_id };
  return { state, outcome, source, type, pipeline, destination, text, after, before, entity: reference };
}

/** The same filter as somebody would give it again. */
export const showFilter = ({ entity, after, before, ...rest }: EventFilter) => ({
  ...rest,
  ...(entity && { entity: `${entity.kind}:${entity.externalId}` }),
  ...(after !== undefined && { after: toRfc3339(after) }),
  ...(before !== undefined && { before: toRfc3339(before) }),
});
