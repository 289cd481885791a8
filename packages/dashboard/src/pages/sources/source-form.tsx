import { Button, Stack, Text, TextInput } from '@mantine/core';
import type { ProviderRecord } from '@sluice/contract/dashboard-providers';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { type FormEvent, type ReactNode, useEffect } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { changesOf, isSame } from '../../components/form-baseline/changes.ts';
import { StaleNotice } from '../../components/form-baseline/stale-notice.tsx';
import { useFormBaseline } from '../../components/form-baseline/use-form-baseline.ts';
import { problemOf } from '../../components/kind-form/problems.ts';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { OutdatedNotice, RestoredNotice } from '../../components/restored-notice.tsx';
import { useFocusOnError } from '../../components/use-focus-on-error.ts';
import type { CallError } from '../../lib/api/call.ts';
import { useCall, useChange } from '../../lib/api/use-call.ts';
import { dropDraft, useKeptDraft } from '../../lib/kept-draft.ts';
import { AuthChoice } from './auth-choice.tsx';
import { ExpectInput } from './expect-input.tsx';
import { MatchInput } from './match-input.tsx';
import { ProviderFields } from './provider-fields.tsx';
import { nothingPasted } from './provider-keys.ts';
import { RateInputs } from './rate-inputs.tsx';
import { SchemeFields } from './scheme-fields.tsx';
import { bodyOf, draftOf, type SourceDraft, withoutTypedSecrets } from './source-draft.ts';
import { authLabels, describeRateLimit } from './source-labels.ts';
import { TypeFromFields, usualTypeOf } from './type-from-fields.tsx';

/** What can be changed of an existing source. */
export function SourceForm({ source }: { source: SourceRecord }) {
  const now = draftOf(source);
  const { data: providers = [] } = useCall('GET /kinds/providers');
  const provider =
    source.kind === 'webhook' ? providers.find(({ name }) => name === source.provider) : undefined;
  const form = useFormBaseline(now);
  const change = useChange('PATCH /sources/:id');
  const save = (draft: SourceDraft) => {
    const takeIn = form.save();
    change.mutate(
      { id: source.id, body: bodyOf(changesOf(form.begun, draft, now), provider) },
      { onSuccess: record => takeIn(draftOf(record)) },
    );
  };
  return (
    <Fields
      key={form.edition}
      name={`source ${source.id}`}
      isFirst={form.edition === 0}
      begun={form.begun}
      now={now}
      provider={provider}
      error={change.error}
      isSaving={change.isPending}
      onTouch={form.touch}
      onSave={save}
      notice={form.isOvertaken && !change.isPending && <StaleNotice onLoad={() => form.begin(now)} />}
    />
  );
}

function Fields(props: {
  /** Under which what is filled in is kept. */
  name: string;
  /** False once it has begun again after a save. */
  isFirst: boolean;
  begun: SourceDraft;
  now: SourceDraft;
  /** Where it is one of a provider. */
  provider: ProviderRecord | undefined;
  error: CallError | null;
  isSaving: boolean;
  onTouch(): void;
  onSave(draft: SourceDraft): void;
  notice: ReactNode;
}) {
  const { begun, now, error } = props;
  const {
    draft,
    isRestored,
    isOutdated,
    change: setDraft,
  } = useKeptDraft(props.name, begun, {
    isFirst: props.isFirst,
    isChanged: one => !isSame(one, begun),
    withoutSecrets: withoutTypedSecrets,
  });
  const form = useFocusOnError(error);
  const { onTouch } = props;
  // What was restored is what somebody typed: it is not to be overwritten by what is stored.
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once; whoever is told may be another each time
  useEffect(() => {
    if (isRestored) onTouch();
  }, [isRestored]);
  const change = (changed: SourceDraft) => {
    setDraft(() => changed);
    onTouch();
  };
  const isAtField = [
    'name',
    'rate',
    'match',
    'scheme',
    'type_from',
    'expect_every_minutes',
    ...Object.keys(nothingPasted),
  ].some(path => problemOf(error, path) !== null);
  const save = (event: FormEvent) => {
    event.preventDefault();
    props.onSave(draft);
  };
  return (
    <form ref={form} onSubmit={save} noValidate>
      <LeaveGuard isUnsaved={() => !isSame(draft, begun)} isKept onLeave={() => dropDraft(props.name)} />
      <Stack>
        {isRestored && <RestoredNotice hasSecrets onDiscard={() => setDraft(() => begun)} />}
        {isOutdated && <OutdatedNotice />}
        <TextInput
          label="Name"
          withAsterisk
          value={draft.name}
          error={problemOf(error, 'name')}
          onChange={event => change({ ...draft, name: event.currentTarget.value })}
        />
        {draft.kind === 'sdk' && (
          <MatchInput
            value={draft.match}
            onChange={match => change({ ...draft, match })}
            error={problemOf(error, 'match')}
          />
        )}
        {draft.kind === 'webhook' && (
          <>
            {draft.auth === 'provider' || draft.auth === 'custom' ? (
              <Text size="sm" c="dimmed">
                {authLabels[draft.auth].meaning}
              </Text>
            ) : (
              <AuthChoice
                value={draft.auth}
                onChange={auth => change({ ...draft, auth })}
                before={now.kind === 'webhook' ? now.auth : 'hmac'}
              />
            )}
            {draft.auth === 'provider' && props.provider !== undefined && (
              <ProviderFields
                provider={props.provider}
                value={draft.keys}
                onChange={keys => change({ ...draft, keys })}
                error={error}
                isKept
              />
            )}
            {draft.auth === 'custom' && (
              <SchemeFields
                value={draft.scheme}
                onChange={scheme => change({ ...draft, scheme })}
                error={error}
                isKept
              />
            )}
            <TypeFromFields
              value={draft.type}
              onChange={type => change({ ...draft, type })}
              error={error}
              usual={usualTypeOf(draft.auth === 'provider' ? props.provider : undefined)}
            />
            <RateInputs value={draft.rate} onChange={rate => change({ ...draft, rate })} error={error} />
            <Text size="xs" c="dimmed">
              Now: {describeRateLimit(draft.rate)}. Above it, senders get a 429 with Retry-After.
            </Text>
          </>
        )}
        {draft.kind !== 'system' && (
          <ExpectInput
            value={draft.expect_every_minutes}
            onChange={expect_every_minutes => change({ ...draft, expect_every_minutes })}
            error={error}
          />
        )}
        {error && !isAtField && <ErrorNotice error={error} />}
        {props.notice}
        <Button type="submit" disabled={isSame(draft, begun)} loading={props.isSaving}>
          Save
        </Button>
      </Stack>
    </form>
  );
}
