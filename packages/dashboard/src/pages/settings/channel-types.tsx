import { Button, Group, Stack } from '@mantine/core';
import type { AlertsRecord } from '@sluice/contract/dashboard-alerts';
import { alertCondition, type SystemEventType, systemEvents } from '@sluice/contract/system-events';
import { type ReactNode, useEffect } from 'react';
import { Disclosure } from '../../components/disclosure.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { isSame } from '../../components/form-baseline/changes.ts';
import { StaleNotice } from '../../components/form-baseline/stale-notice.tsx';
import { useFormBaseline } from '../../components/form-baseline/use-form-baseline.ts';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { OutdatedNotice, RestoredNotice } from '../../components/restored-notice.tsx';
import { useChange } from '../../lib/api/use-call.ts';
import { dropDraft, useKeptDraft } from '../../lib/kept-draft.ts';
import { AlertTypes } from './alert-types.tsx';

type Types = readonly SystemEventType[];

export const titlesOf = (types: Types): string => types.map(type => systemEvents[type].title).join(', ');

/** Which events a channel tells, and a way to choose others. */
export function ChannelTypes(props: {
  /** Of its pipeline. */
  id: string;
  types: SystemEventType[];
  offered: AlertsRecord['types'];
}) {
  const { id, types } = props;
  const form = useFormBaseline<Types>(types);
  const change = useChange('PATCH /pipelines/:id');
  const save = (chosen: Types) => {
    const takeIn = form.save();
    const steps = [{ kind: 'filter.match', config: { condition: alertCondition(chosen) } }];
    change.mutate({ id, body: { steps } }, { onSuccess: () => takeIn(chosen) });
  };
  return (
    <>
      {change.error && <ErrorNotice error={change.error} />}
      <Choice
        key={form.edition}
        draftName={`alert types of ${id}`}
        isFirst={form.edition === 0}
        begun={form.begun}
        offered={props.offered}
        isSaving={change.isPending}
        onTouch={form.touch}
        onSave={save}
        notice={form.isOvertaken && !change.isPending && <StaleNotice onLoad={() => form.begin(types)} />}
      />
    </>
  );
}

function Choice(props: {
  /** Under which what is chosen is kept. */
  draftName: string;
  /** False once it has begun again after a save. */
  isFirst: boolean;
  begun: Types;
  offered: AlertsRecord['types'];
  isSaving: boolean;
  onTouch(): void;
  onSave(chosen: Types): void;
  notice: ReactNode;
}) {
  const { draftName, begun, onTouch } = props;
  const { draft, isRestored, isOutdated, change } = useKeptDraft(draftName, begun, {
    isFirst: props.isFirst,
    isChanged: one => !isSame(one, begun),
    withoutSecrets: one => one,
  });
  // What was restored is what somebody chose: it is not to be overwritten by what is stored.
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once; whoever is told may be another each time
  useEffect(() => {
    if (isRestored) onTouch();
  }, [isRestored]);
  const isUnsaved = !isSame(draft, begun);
  return (
    <>
      <LeaveGuard isUnsaved={() => isUnsaved} isKept onLeave={() => dropDraft(draftName)} />
      {isRestored && <RestoredNotice onDiscard={() => change(() => begun)} />}
      {isOutdated && <OutdatedNotice />}
      <Disclosure summary={titlesOf(begun)} startsOpen={isRestored}>
        <Stack>
          <AlertTypes
            offered={props.offered}
            value={draft}
            onChange={chosen => {
              change(() => chosen);
              onTouch();
            }}
          />
          {props.notice}
          <Group>
            <Button
              variant="default"
              size="compact-sm"
              disabled={!isUnsaved || draft.length === 0}
              loading={props.isSaving}
              onClick={() => props.onSave(draft)}
            >
              Save
            </Button>
          </Group>
        </Stack>
      </Disclosure>
    </>
  );
}
