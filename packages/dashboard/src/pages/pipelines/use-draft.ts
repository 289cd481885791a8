import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import type { PipelineRecord } from '@sluice/contract/dashboard-pipelines';
import { useEffect, useState } from 'react';
import { withoutTyped } from '../../components/kind-form/typed-secrets.ts';
import { useKeptDraft } from '../../lib/kept-draft.ts';
import { draftChanges, isChanged, type PipelineDraft, toCopy, toDraft } from './draft.ts';

/** Under which a draft is kept. */
export const pipelineDraftName = (
  record: Pick<PipelineRecord, 'id'> | null,
  original: Pick<PipelineRecord, 'id'> | null,
): string => `pipeline ${record?.id ?? (original === null ? 'new' : `like ${original.id}`)}`;

interface DraftState {
  readonly draft: PipelineDraft;
  /** What is saved; null of a pipeline that is not made yet. */
  readonly base: PipelineRecord | null;
  readonly isUnsaved: boolean;
  /** It was written before a reload. */
  readonly isRestored: boolean;
  /** What was written before a reload is gone: somebody else has saved since. */
  readonly isOutdated: boolean;
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
  /** Goes back to what is saved, or to what it began with. */
  discard(): void;
}

/**
 * The draft and what it is a draft of. While nothing is changed here it follows what others save; once something is,
 * it stays as it is and says so.
 */
export function useDraft(
  record: PipelineRecord | null,
  kinds: readonly KindRecord[],
  original: PipelineRecord | null,
  begun: PipelineDraft,
): DraftState {
  const [base, setBase] = useState(record);
  const [fresh] = useState(() => (original === null ? begun : toCopy(original)));
  const saved = base === null ? fresh : toDraft(base);
  const {
    draft,
    isRestored,
    isOutdated,
    change: setDraft,
  } = useKeptDraft(pipelineDraftName(record, original), saved, {
    isFirst: true,
    isChanged: one => isChanged(one, saved),
    withoutSecrets: one => ({
      ...one,
      steps: one.steps.map(step => {
        const kind = kinds.find(each => each.kind === step.kind);
        const before = saved.steps.find(({ key }) => key === step.key)?.config;
        return { ...step, config: kind ? withoutTyped(step.config, kind, before) : {} };
      }),
    }),
  });
  const [edition, setEdition] = useState(0);
  const isUnsaved = isChanged(draft, saved);
  const isNewer = record !== null && base !== null && record.updated_at > base.updated_at;

  const take = (taken: PipelineRecord) => {
    setBase(taken);
    setDraft(() => toDraft(taken));
    setEdition(before => before + 1);
  };
  useEffect(() => {
    if (!isNewer || isUnsaved) return;
    setBase(record);
    setDraft(() => toDraft(record));
    setEdition(before => before + 1);
  }, [isNewer, isUnsaved, record, setDraft]);

  return {
    draft,
    base,
    isUnsaved,
    isRestored,
    isOutdated,
    edition,
    overtakenBy: isNewer && isUnsaved && record.version > base.version ? record.version : null,
    change: changed => setDraft(before => ({ ...before, ...changed })),
    changes: () => draftChanges(draft, saved),
    saved(made, sent) {
      setBase(made);
      setDraft(before => (before === sent ? keepingKeys(toDraft(made), sent) : before));
    },
    take,
    discard() {
      if (base !== null) return take(base);
      setDraft(() => fresh);
      setEdition(before => before + 1);
    },
  };
}

/** The steps are the same ones in the same order, their secrets now only known to be set. */
const keepingKeys = (draft: PipelineDraft, { steps }: PipelineDraft): PipelineDraft => ({
  ...draft,
  steps: draft.steps.map((step, place) => ({ ...step, key: steps[place]?.key ?? step.key })),
});
