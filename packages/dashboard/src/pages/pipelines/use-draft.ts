import type { PipelineRecord } from '@sluice/contract/dashboard-pipelines';
import { useEffect, useState } from 'react';
import { draftChanges, emptyDraft, isChanged, type PipelineDraft, toDraft } from './draft.ts';

interface DraftState {
  readonly draft: PipelineDraft;
  /** What is saved; null of a pipeline that is not made yet. */
  readonly base: PipelineRecord | null;
  readonly isUnsaved: boolean;
  /** Rises whenever the draft is replaced as a whole, so that forms start again. */
  readonly edition: number;
  /** The version that somebody else has saved while this draft was written. */
  readonly overtakenBy: number | null;
  change(changed: Partial<PipelineDraft>): void;
  /** Only what differs from what is saved. */
  changes(): ReturnType<typeof draftChanges>;
  /** What was sent was saved as this. Whatever was changed meanwhile is still there, and unsaved. */
  saved(record: PipelineRecord, sent: PipelineDraft): void;
  /** Takes up a record in place of the draft. */
  take(record: PipelineRecord): void;
}

/**
 * The draft and what it is a draft of. While nothing is changed here it follows what others save; once something is,
 * it stays as it is and says so.
 */
export function useDraft(record: PipelineRecord | null, initial: PipelineDraft = emptyDraft): DraftState {
  const [base, setBase] = useState(record);
  const [draft, setDraft] = useState(() => (record === null ? initial : toDraft(record)));
  const [edition, setEdition] = useState(0);
  const isUnsaved = isChanged(draft, base === null ? emptyDraft : toDraft(base));
  const isNewer = record !== null && base !== null && record.updated_at > base.updated_at;

  const take = (taken: PipelineRecord) => {
    setBase(taken);
    setDraft(toDraft(taken));
    setEdition(before => before + 1);
  };
  useEffect(() => {
    if (!isNewer || isUnsaved) return;
    setBase(record);
    setDraft(toDraft(record));
    setEdition(before => before + 1);
  }, [isNewer, isUnsaved, record]);

  return {
    draft,
    base,
    isUnsaved,
    edition,
    overtakenBy: isNewer && isUnsaved && record.version > base.version ? record.version : null,
    change: changed => setDraft(before => ({ ...before, ...changed })),
    changes: () => draftChanges(draft, base === null ? emptyDraft : toDraft(base)),
    saved(made, sent) {
      setBase(made);
      setDraft(before => (before === sent ? keepingKeys(toDraft(made), sent) : before));
    },
    take,
  };
}

/** The steps are the same ones in the same order, their secrets now only known to be set. */
const keepingKeys = (draft: PipelineDraft, { steps }: PipelineDraft): PipelineDraft => ({
  ...draft,
  steps: draft.steps.map((step, place) => ({ ...step, key: steps[place]?.key ?? step.key })),
});
