import { useDebouncedValue } from '@mantine/hooks';
import type { DryRunRecord } from '@sluice/contract/dashboard-pipelines';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CallError, call } from '../../lib/api/call.ts';
import { parseExact, stringifyExact } from '../../lib/api/exact-json.ts';
import type { GivenTo } from '../../lib/api/path.ts';
import { type PipelineDraft, toBody } from './draft.ts';

/** The event that a draft is tried with: one that came in, or one that somebody wrote. */
export type TrialEvent =
  | { readonly kind: 'recent'; readonly id: string }
  | { readonly kind: 'pasted'; readonly text: string };

export interface Trial {
  readonly report: DryRunRecord | null;
  readonly error: CallError | null;
  readonly isRunning: boolean;
}

type DryRunBody = GivenTo<'POST /pipelines/dry-run'>['body'];

const PAUSE_MS = 400;

/** Runs the draft as it stands a moment after its last change. Nothing is sent, nothing is stored. */
export function useTrial(input: {
  draft: PipelineDraft;
  /** Of the pipeline that the draft is of, so that its secrets are kept. */
  id: string | null;
  event: TrialEvent | null;
  classify: boolean;
  /** What models are taken to have answered, by label. */
  labels: Readonly<Record<string, string>>;
}): Trial {
  const { draft, id, event, classify, labels } = input;
  const given = event === null ? null : readEvent(event);
  const body = stringifyExact(
    {
      pipeline: { ...toBody(draft), name: draft.name.trim() || 'Draft', ...(id === null ? {} : { id }) },
      ...(given?.kind === 'event' ? given.body : {}),
      classify,
      labels,
    },
    0,
  );
  const [settled] = useDebouncedValue(body, PAUSE_MS);
  const isReady = given?.kind === 'event';
  const { data, error, isFetching } = useQuery<DryRunRecord, CallError>({
    queryKey: ['trial', settled],
    queryFn: () => call('POST /pipelines/dry-run', { body: parseExact(settled) as DryRunBody }),
    enabled: isReady && settled === body,
    placeholderData: keepPreviousData,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (given?.kind === 'broken') return { report: null, error: given.error, isRunning: false };
  return {
    report: isReady && error === null ? (data ?? null) : null,
    error: isReady ? error : null,
    isRunning: isReady && (isFetching || settled !== body),
  };
}

type Given =
  | { readonly kind: 'event'; readonly body: { event_id: string } | { event: unknown } }
  | { readonly kind: 'broken'; readonly error: CallError };

export function readEvent(event: TrialEvent): Given | null {
  if (event.kind === 'recent') return { kind: 'event', body: { event_id: event.id } };
  if (event.text.trim() === '') return null;
  try {
    return { kind: 'event', body: { event: parseExact(event.text) } };
  } catch (problem) {
    const why = problem instanceof Error ? problem.message : String(problem);
    return {
      kind: 'broken',
      error: new CallError(0, 'invalid_json', `The event is not JSON yet: ${why}`, null),
    };
  }
}
