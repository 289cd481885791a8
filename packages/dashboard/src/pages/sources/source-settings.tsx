import { Button, Stack, Text, TextInput } from '@mantine/core';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { changesOf, isSame } from '../../components/form-baseline/changes.ts';
import { StaleNotice } from '../../components/form-baseline/stale-notice.tsx';
import { useFormBaseline } from '../../components/form-baseline/use-form-baseline.ts';
import { problemOf } from '../../components/kind-form/problems.ts';
import type { CallError } from '../../lib/api/call.ts';
import { useChange } from '../../lib/api/use-call.ts';
import { AuthChoice } from './auth-choice.tsx';
import { MatchInput } from './match-input.tsx';
import { RateInputs } from './rate-inputs.tsx';
import { authLabels, describeRateLimit } from './source-labels.ts';

/** What can be changed of a source; for those who may not, what it is. */
export function SourceSettings({ source, mayChange }: { source: SourceRecord; mayChange: boolean }) {
  return <Card title="Settings">{mayChange ? <Form source={source} /> : <Settings source={source} />}</Card>;
}

function Settings({ source }: { source: SourceRecord }) {
  const facts: readonly [string, string][] =
    source.kind === 'sdk'
      ? [['Event types', source.match]]
      : [
          ['Authentication', `${authLabels[source.auth].title}. ${authLabels[source.auth].meaning}`],
          ['Rate', describeRateLimit(source.rate)],
        ];
  return (
    <Stack gap="sm">
      {facts.map(([title, fact]) => (
        <div key={title}>
          <Text size="sm" fw={500}>
            {title}
          </Text>
          <Text size="sm" c="dimmed">
            {fact}
          </Text>
        </div>
      ))}
    </Stack>
  );
}

const partsOf = (source: SourceRecord) =>
  source.kind === 'sdk'
    ? { kind: source.kind, name: source.name, match: source.match }
    : { kind: source.kind, name: source.name, auth: source.auth, rate: source.rate };

type Parts = ReturnType<typeof partsOf>;

function Form({ source }: { source: SourceRecord }) {
  const now = partsOf(source);
  const form = useFormBaseline(now);
  const change = useChange('PATCH /sources/:id');
  const save = (draft: Parts) => {
    const takeIn = form.save();
    change.mutate(
      { id: source.id, body: changesOf(form.begun, draft, now) },
      { onSuccess: record => takeIn(partsOf(record)) },
    );
  };
  return (
    <Fields
      key={form.edition}
      begun={form.begun}
      now={now}
      error={change.error}
      isSaving={change.isPending}
      onTouch={form.touch}
      onSave={save}
      notice={form.isOvertaken && !change.isPending && <StaleNotice onLoad={() => form.begin(now)} />}
    />
  );
}

function Fields(props: {
  begun: Parts;
  now: Parts;
  error: CallError | null;
  isSaving: boolean;
  onTouch(): void;
  onSave(draft: Parts): void;
  notice: ReactNode;
}) {
  const { begun, now, error } = props;
  const [draft, setDraft] = useState(begun);
  const change = (changed: Parts) => {
    setDraft(changed);
    props.onTouch();
  };
  const isAtField = ['name', 'rate', 'match'].some(path => problemOf(error, path) !== null);
  const save = (event: FormEvent) => {
    event.preventDefault();
    props.onSave(draft);
  };
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <TextInput
          label="Name"
          withAsterisk
          value={draft.name}
          error={problemOf(error, 'name')}
          onChange={event => change({ ...draft, name: event.currentTarget.value })}
        />
        {draft.kind === 'sdk' ? (
          <MatchInput
            value={draft.match}
            onChange={match => change({ ...draft, match })}
            error={problemOf(error, 'match')}
          />
        ) : (
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
            <RateInputs value={draft.rate} onChange={rate => change({ ...draft, rate })} error={error} />
            <Text size="xs" c="dimmed">
              Now: {describeRateLimit(draft.rate)}. Over it, senders get a 429 that says when to come again.
            </Text>
          </>
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
