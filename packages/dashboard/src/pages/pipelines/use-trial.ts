import { useDebouncedValue } from '@mantine/hooks';
import type { DryRunRecord } from '@sluice/contract/dashboard-pipelines';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { readEvent, type TrialEvent } from '../../components/test-event/trial-event.ts';
import { type CallError, call } from '../../lib/api/call.ts';
import { parseExact, stringifyExact } from '../../lib/api/exact-json.ts';
import type { GivenTo } from '../../lib/api/path.ts';
import { type PipelineDraft, toBody } from './draft.ts';

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
