import { Button, Group, Stack } from '@mantine/core';
import type { AlertsRecord } from '@sluice/contract/dashboard-alerts';
import { alertCondition, type SystemEventType, systemEvents } from '@sluice/contract/system-events';
import { useEffect, useState } from 'react';
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
  const { begun, edition, ...form } = useFormBaseline<Types>(types);
  const draftName = `alert types of ${id}`;
  const {
    draft,
    isRestored,
    isOutdated,
    change: setDraft,
  } = useKeptDraft(draftName, begun, {
    isFirst: true,
    isChanged: one => !isSame(one, begun),
    withoutSecrets: one => one,
  });
  // It begins again in its place, since a new one would be shut, and the focus gone.
  const [drawn, setDrawn] = useState(edition);
  if (drawn !== edition) {
    setDrawn(edition);
    setDraft(() => begun);
  }
  // What was restored is what somebody chose: it is not to be overwritten by what is stored.
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once; whoever is told may be another each time
  useEffect(() => {
    if (isRestored) form.touch();
  }, [isRestored]);
  const change = useChange('PATCH /pipelines/:id');
  const save = () => {
    const takeIn = form.save();
    const steps = [{ kind: 'filter.match', config: { condition: alertCondition(draft) } }];
    change.mutate({ id, body: { steps } }, { onSuccess: () => takeIn(draft) });
  };
  const isUnsaved = !isSame(draft, begun);
  return (
    <>
      {change.error && <ErrorNotice error={change.error} />}
      <LeaveGuard isUnsaved={() => isUnsaved} isKept onLeave={() => dropDraft(draftName)} />
      {isRestored && <RestoredNotice onDiscard={() => setDraft(() => begun)} />}
      {isOutdated && edition === 0 && <OutdatedNotice />}
      <Disclosure summary={titlesOf(begun)} startsOpen={isRestored}>
        <Stack>
          <AlertTypes
            offered={props.offered}
            value={draft}
            onChange={chosen => {
              setDraft(() => chosen);
              form.touch();
            }}
          />
          {form.isOvertaken && !change.isPending && (
            <StaleNotice
              effect="Saving replaces all of the chosen events with yours."
              onLoad={() => form.begin(types)}
            />
          )}
          <Group>
            <Button
              variant="default"
              size="compact-sm"
              disabled={!isUnsaved || draft.length === 0}
              loading={change.isPending}
              onClick={save}
            >
              Save
            </Button>
          </Group>
        </Stack>
      </Disclosure>
    </>
  );
}
