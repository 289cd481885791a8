import { Button, Group, NumberInput, Stack, TagsInput, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { OrganisationRecord } from '@sluice/contract/dashboard-accounts';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { isSame } from '../../components/form-baseline/changes.ts';
import { StaleNotice } from '../../components/form-baseline/stale-notice.tsx';
import { useFormBaseline } from '../../components/form-baseline/use-form-baseline.ts';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { PartWaiting } from '../../components/page-states.tsx';
import { OutdatedNotice, RestoredNotice } from '../../components/restored-notice.tsx';
import type { CallError } from '../../lib/api/call.ts';
import { useCall, useChange } from '../../lib/api/use-call.ts';
import { errorAt } from '../../lib/field-error.ts';
import { dropDraft, useKeptDraft } from '../../lib/kept-draft.ts';
import { useMay, useSession } from '../../lib/session.tsx';

const MOST_DAYS = 36_500;
const MOST_TRAITS = 32;

/** How long events are kept, and which traits of entities can be searched by quickly. */
export function RetentionSection() {
  const { id } = useSession().organisation;
  const organisation = useCall('GET /organisations/:id', { id });
  const mayChange = useMay()('settings.change');

  if (!organisation.data) return <PartWaiting reads={[organisation]} />;
  return mayChange ? (
    <RetentionForm key={organisation.data.id} organisation={organisation.data} />
  ) : (
    <Shown organisation={organisation.data} />
  );
}

function Shown({ organisation }: { organisation: OrganisationRecord }) {
  const traits = organisation.searchable_traits;
  return (
    <Card title="Retention">
      <Stack gap="xs">
        <Text size="sm">
          Events are kept for {organisation.retention_days ?? organisation.default_retention_days} days.
        </Text>
        <Text size="sm">
          {traits.length === 0
            ? 'No trait of entities is indexed for search.'
            : `Traits indexed for search: ${traits.join(', ')}.`}
        </Text>
      </Stack>
    </Card>
  );
}

interface RetentionDraft {
  readonly days: number | '';
  readonly traits: readonly string[];
}

const draftOf = ({ retention_days, searchable_traits }: OrganisationRecord): RetentionDraft => ({
  days: retention_days ?? '',
  traits: searchable_traits,
});

function RetentionForm({ organisation }: { organisation: OrganisationRecord }) {
  const now = draftOf(organisation);
  const form = useFormBaseline(now);
  const change = useChange('PATCH /organisations/:id');
  const save = ({ days, traits }: RetentionDraft) => {
    const takeIn = form.save();
    change.mutate(
      {
        id: organisation.id,
        body: { ...(days === '' ? {} : { retention_days: days }), searchable_traits: traits },
      },
      {
        onSuccess: () => {
          takeIn({ days, traits });
          notifications.show({ message: 'Saved.' });
        },
      },
    );
  };
  return (
    <Card title="Retention">
      <Fields
        key={form.edition}
        isFirst={form.edition === 0}
        begun={form.begun}
        usualDays={organisation.default_retention_days}
        error={change.error}
        isSaving={change.isPending}
        onTouch={form.touch}
        onSave={save}
        notice={form.isOvertaken && !change.isPending && <StaleNotice onLoad={() => form.begin(now)} />}
      />
    </Card>
  );
}

const DRAFT_NAME = 'retention';

function Fields(props: {
  /** False once it has begun again after a save. */
  isFirst: boolean;
  begun: RetentionDraft;
  usualDays: number;
  error: CallError | null;
  isSaving: boolean;
  onTouch(): void;
  onSave(draft: RetentionDraft): void;
  notice: ReactNode;
}) {
  const { begun, usualDays, error, onTouch } = props;
  const {
    draft,
    isRestored,
    isOutdated,
    change: setDraft,
  } = useKeptDraft(DRAFT_NAME, begun, {
    isFirst: props.isFirst,
    isChanged: one => !isSame(one, begun),
    withoutSecrets: one => one,
  });
  const [isMissing, setMissing] = useState(false);
  // What was restored is what somebody typed: it is not to be overwritten by what is stored.
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once; whoever is told may be another each time
  useEffect(() => {
    if (isRestored) onTouch();
  }, [isRestored]);
  const change = (changed: Partial<RetentionDraft>) => {
    setDraft(before => ({ ...before, ...changed }));
    setMissing(false);
    onTouch();
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    // Once it is set there is no way back to the default but its number.
    if (draft.days === '' && begun.days !== '') setMissing(true);
    else props.onSave(draft);
  };
  const isUnsaved = !isSame(draft, begun);
  const atDays = isMissing
    ? `Enter a number of days; the default is ${usualDays}.`
    : errorAt(error, 'retention_days');
  const atTraits = error?.path?.startsWith('searchable_traits') ? error.message : null;
  return (
    <form onSubmit={save} noValidate>
      <LeaveGuard isUnsaved={() => isUnsaved} isKept onLeave={() => dropDraft(DRAFT_NAME)} />
      <Stack>
        {isRestored && <RestoredNotice onDiscard={() => setDraft(() => begun)} />}
        {isOutdated && <OutdatedNotice />}
        <NumberInput
          label="Days to keep events"
          description={`The default of this installation is ${usualDays}. Events still to be delivered are kept; dead letters are kept longer.`}
          placeholder={String(usualDays)}
          min={1}
          max={MOST_DAYS}
          allowDecimal={false}
          maw={560}
          value={draft.days}
          error={atDays}
          onChange={days => change({ days: typeof days === 'number' ? days : '' })}
        />
        <TagsInput
          label="Searchable traits"
          description="Indexed, such as plan or address.city. Other traits can be searched too, only more slowly."
          placeholder="A path, then Enter"
          maxTags={MOST_TRAITS}
          maw={560}
          value={[...draft.traits]}
          error={atTraits}
          onChange={traits => change({ traits })}
        />
        {error && !atDays && !atTraits && <ErrorNotice error={error} />}
        {props.notice}
        <Group>
          <Button type="submit" loading={props.isSaving} disabled={!isUnsaved}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
