import { Alert, Badge, Button, Group, Tabs } from '@mantine/core';
import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';
import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import type { PipelineDetails } from '@sluice/contract/dashboard-pipelines';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { CloneButton } from '../../components/clone.tsx';
import { ConfirmButton } from '../../components/confirm.tsx';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { Page } from '../../components/page.tsx';
import { OutdatedNotice, RestoredNotice } from '../../components/restored-notice.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { type CallError, call } from '../../lib/api/call.ts';
import { useChanges } from '../../lib/api/use-call.ts';
import { dropDraft, useKeptDraft } from '../../lib/kept-draft.ts';
import { useDelete } from '../../lib/use-delete.ts';
import { useFilters } from '../../lib/use-filters.ts';
import { BasicsPart } from './basics-part.tsx';
import { DestinationsPart } from './destinations-part.tsx';
import { type PipelineDraft, placeOf, toBody } from './draft.ts';
import { FiguresCard, usePipelineFigures } from './figures-card.tsx';
import classes from './pipeline.module.css';
import { SaveBar } from './save-bar.tsx';
import { StepsPart } from './steps-part.tsx';
import { TestPanel } from './test-panel.tsx';
import { pipelineDraftName, useDraft } from './use-draft.ts';
import { useTestEvent } from './use-test-event.ts';
import { useTrial } from './use-trial.ts';
import { Versions } from './versions.tsx';

/** A pipeline with everything that makes it up, a place to try it, and its versions. */
export function PipelineEditor(props: {
  record: PipelineDetails | null;
  /** What a new one is a copy of. */
  original: PipelineDetails | null;
  /** What a new one begins with, where it is no copy. */
  begun: PipelineDraft;
  kinds: readonly KindRecord[];
  sources: readonly SourceRecord[];
  destinations: readonly DestinationRecord[];
  mayChange: boolean;
}) {
  const { record, original, kinds, sources, destinations, mayChange } = props;
  const state = useDraft(record, kinds, original, props.begun);
  const { draft, base } = state;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [classify, setClassify] = useState(false);
  const [simulated, setSimulated] = useState<Readonly<Record<string, string>>>({});
  const noteName = `${pipelineDraftName(record, original)} note`;
  const { draft: note, change: setNote } = useKeptDraft(noteName, '', {
    // A note on changes that were not kept says nothing of those that are made now.
    isFirst: base === null || state.isRestored,
    isChanged: one => one !== '' && (base === null || state.isUnsaved),
    withoutSecrets: one => one,
  });
  const figuresRead = usePipelineFigures(base?.id ?? null);
  const { figures } = figuresRead;
  const [filters, setFilters] = useFilters();
  const navigate = useNavigate();
  const isTurnedOnly = base !== null && Object.keys(state.changes()).join() === 'enabled';
  // Of a version that is saved: what is being written has none.
  const areStepsSaved = base !== null && figures?.version === base.version && !('steps' in state.changes());
  const change = useChanges(() =>
    base === null
      ? call('POST /pipelines', {
          body: { ...toBody(draft), note, ...(original === null ? {} : { clone_of: original.id }) },
        })
      : call('PATCH /pipelines/:id', {
          id: base.id,
          body: { ...state.changes(), ...(isTurnedOnly ? {} : { note }) },
        }),
  );
  const removeAt = useDelete('DELETE /pipelines/:id');
  const testName = `${pipelineDraftName(record, original)} test`;
  const tested = useTestEvent(testName, draft);
  const trial = useTrial({
    draft,
    id: base?.id ?? original?.id ?? null,
    event: tested.event,
    classify,
    labels: simulated,
  });
  const isLeaving = useRef(false);
  // What the server refused is shown until it is changed.
  const [refused, setRefused] = useState<PipelineDraft | null>(null);
  const error = refused === draft ? change.error : null;

  const toggle = (key: string, isOpen: boolean) =>
    setOpen(before => new Set(isOpen ? [...before, key] : [...before].filter(each => each !== key)));

  const showProblem = ({ path }: CallError) => {
    const step = draft.steps[placeOf('steps', path) ?? -1];
    if (step) toggle(step.key, true);
  };
  const dropDrafts = () => {
    dropDraft(pipelineDraftName(base, original));
    dropDraft(noteName);
    dropDraft(testName);
  };
  const discard = () => {
    state.discard();
    setNote(() => '');
  };
  const save = async () => {
    if (change.isPending || (base !== null && !state.isUnsaved)) return;
    try {
      const saved = await change.mutateAsync();
      if (base === null) {
        isLeaving.current = true;
        dropDrafts();
        await navigate({ to: `/pipelines/${saved.id}` });
      } else {
        state.saved(saved, draft);
        // What was noted meanwhile is meant for the next one.
        setNote(before => (before === note ? '' : before));
      }
    } catch (problem) {
      setRefused(draft);
      showProblem(problem as CallError);
    }
  };
  const remove = () =>
    removeAt(
      { id: base?.id ?? '' },
      {
        name: base?.name ?? '',
        to: '/pipelines',
        onRemoved() {
          isLeaving.current = true;
        },
      },
    );
  const nameOf = (id: string) => [...sources, ...destinations].find(each => each.id === id)?.name ?? id;
  const hasPlace = /^(?:name|sources|steps|destinations)/.test(error?.path ?? '');
  const isSaved = change.isSuccess && !state.isUnsaved;

  const design = (
    <div className={classes.columns} data-two={mayChange || undefined}>
      <div className={classes.column} key={state.edition}>
        {record && <FiguresCard id={record.id} read={figuresRead} classify={record.classify} />}
        <BasicsPart
          draft={draft}
          sources={sources}
          mayChange={mayChange}
          error={error}
          onChange={state.change}
        />
        <StepsPart
          steps={draft.steps}
          kinds={kinds}
          open={open}
          mayChange={mayChange}
          error={error}
          report={trial.report}
          figures={areStepsSaved ? figures?.steps : undefined}
          fieldsAt={place => tested.fieldsOf(trial.report?.steps[place]?.before ?? null)}
          onToggle={toggle}
          onChange={steps => state.change({ steps })}
        />
        <DestinationsPart
          chosen={draft.destinations}
          known={destinations}
          mayChange={mayChange}
          error={error}
          fields={tested.fieldsOf(trial.report)}
          onChange={chosen => state.change({ destinations: chosen })}
        />
      </div>
      {mayChange && (
        <div className={classes.trying}>
          <TestPanel
            draft={draft}
            kinds={kinds}
            destinations={destinations}
            event={tested.event}
            onEvent={tested.choose}
            classify={classify}
            onClassify={setClassify}
            simulated={simulated}
            onSimulate={(label, value) => setSimulated({ ...simulated, [label]: value })}
            trial={trial}
          />
        </div>
      )}
    </div>
  );

  return (
    <Page
      title={base?.name ?? 'New pipeline'}
      lead={<span role="status">{isSaved ? 'All changes are saved.' : ''}</span>}
      badge={
        base && (
          <Group gap={6}>
            <Badge color="gray" tt="none" fw={500}>
              version {base.version}
            </Badge>
            <StateBadge state={base.enabled ? 'enabled' : 'disabled'} />
          </Group>
        )
      }
      actions={
        base &&
        mayChange && (
          <>
            <CloneButton to="/pipelines/new" id={base.id} />
            <ConfirmButton
              label="Delete"
              question={`${base.name} will be deleted with all its versions. New events no longer pass through it; past deliveries are kept.`}
              act="Delete"
              onConfirm={remove}
            />
          </>
        )
      }
    >
      <LeaveGuard
        isUnsaved={() =>
          (state.isUnsaved || tested.isUnsaved || (base === null && note !== '')) && !isLeaving.current
        }
        isKept
        onLeave={dropDrafts}
      />
      {state.isRestored && <RestoredNotice hasSecrets onDiscard={discard} />}
      {state.isOutdated && <OutdatedNotice />}
      {state.overtakenBy !== null && record && !change.isPending && (
        <Alert color="yellow" variant="light" title={`Someone else has saved version ${state.overtakenBy}`}>
          Saving makes your changes the newest version.{' '}
          <Button size="compact-sm" variant="default" onClick={() => state.take(record)}>
            Load their version
          </Button>
        </Alert>
      )}
      {base === null ? (
        design
      ) : (
        <Tabs
          value={filters.tab ?? 'design'}
          onChange={tab => setFilters({ tab: tab === 'design' ? '' : (tab ?? '') })}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="design">Editor</Tabs.Tab>
            <Tabs.Tab value="versions">Versions</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="design">{design}</Tabs.Panel>
          <Tabs.Panel value="versions">
            {filters.tab === 'versions' && (
              <Versions
                pipeline={base}
                nameOf={nameOf}
                mayChange={mayChange}
                isUnsaved={state.isUnsaved}
                onRolledBack={state.take}
              />
            )}
          </Tabs.Panel>
        </Tabs>
      )}
      {mayChange && (state.isUnsaved || base === null) && (
        <SaveBar
          isNew={base === null}
          label={isTurnedOnly ? 'Save' : `Save version ${(base?.version ?? 0) + 1}`}
          error={hasPlace ? null : error}
          isSaving={change.isPending}
          note={isTurnedOnly ? null : note}
          onNote={text => setNote(() => text)}
          onSave={() => void save()}
          onDiscard={base && discard}
        />
      )}
    </Page>
  );
}
