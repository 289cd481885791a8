import { useMemo, useState } from 'react';
import { commonFields, fieldsOf, type KnownField } from '../../components/condition/known-fields.ts';
import { readEvent, type TrialEvent } from '../../components/test-event/trial-event.ts';
import { useCall } from '../../lib/api/use-call.ts';
import type { PipelineDraft } from './draft.ts';

interface TestEvent {
  readonly event: TrialEvent | null;
  choose(event: TrialEvent | null): void;
  /** What conditions can read, of the event in this state; of the event as it came in where that is null. */
  fieldsOf(state: { readonly payload?: unknown; readonly labels?: unknown } | null): readonly KnownField[];
}

/** The event that the draft is tried with, and the fields that it brings for conditions to complete. */
export function useTestEvent(draft: PipelineDraft): TestEvent {
  const [event, choose] = useState<TrialEvent | null>(null);
  const { data: recent } = useCall('GET /events/:id', event?.kind === 'recent' ? { id: event.id } : null);
  const written = event === null || event.kind === 'recent' ? null : readEvent(event);
  const payload =
    event?.kind === 'recent'
      ? recent?.payload
      : written?.kind === 'event'
        ? payloadOf(written.body)
        : undefined;
  const labelled = useMemo(
    () =>
      draft.steps.flatMap(({ config: { label, labels } }) =>
        typeof label === 'string'
          ? [{ path: `labels.${label}`, example: Array.isArray(labels) ? labels.join(', ') : 'a label' }]
          : [],
      ),
    [draft.steps],
  );
  return {
    event,
    choose,
    fieldsOf: state => [...fieldsOf('payload', state?.payload ?? payload), ...labelled, ...commonFields],
  };
}

const payloadOf = (body: object): unknown =>
  'event' in body && typeof body.event === 'object' && body.event !== null && 'payload' in body.event
    ? body.event.payload
    : undefined;
