import { useMemo } from 'react';
import { commonFields, fieldsOf, type KnownField } from '../../components/condition/known-fields.ts';
import { isWritten, readEvent, type TrialEvent } from '../../components/test-event/trial-event.ts';
import { useCall } from '../../lib/api/use-call.ts';
import { useKeptDraft } from '../../lib/kept-draft.ts';
import type { PipelineDraft } from './draft.ts';

interface TestEvent {
  readonly event: TrialEvent | null;
  /** Somebody has written it. */
  readonly isUnsaved: boolean;
  choose(event: TrialEvent | null): void;
  /** What conditions can read, of the event in this state; of the event as it came in where that is null. */
  fieldsOf(state: { readonly payload?: unknown; readonly labels?: unknown } | null): readonly KnownField[];
}

/**
 * The event that the draft is tried with, and the fields that it brings for conditions to complete. `name`: under which
 * it is kept where somebody has written it.
 */
export function useTestEvent(name: string, draft: PipelineDraft): TestEvent {
  const { draft: event, change } = useKeptDraft<TrialEvent | null>(name, null, {
    isFirst: true,
    isChanged: isWritten,
    withoutSecrets: one => one,
  });
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
    isUnsaved: isWritten(event),
    choose: chosen => change(() => chosen),
    fieldsOf: state => [...fieldsOf('payload', state?.payload ?? payload), ...labelled, ...commonFields],
  };
}

const payloadOf = (body: object): unknown =>
  'event' in body && typeof body.event === 'object' && body.event !== null && 'payload' in body.event
    ? body.event.payload
    : undefined;
