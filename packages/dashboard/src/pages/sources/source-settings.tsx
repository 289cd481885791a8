import { Button, Stack, Text, TextInput } from '@mantine/core';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { type FormEvent, useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { problemOf } from '../../components/kind-form/problems.ts';
import { AuthChoice } from './auth-choice.tsx';
import { MatchInput } from './match-input.tsx';
import { RateInputs } from './rate-inputs.tsx';
import { authWords, tellRate } from './source-words.ts';

/** What can be changed of a source; for those who may not, what it is. */
export function SourceSettings({ source, mayChange }: { source: SourceRecord; mayChange: boolean }) {
  return <Card title="Settings">{mayChange ? <Form source={source} /> : <Settings source={source} />}</Card>;
}

function Settings({ source }: { source: SourceRecord }) {
  const facts: readonly [string, string][] =
    source.kind === 'sdk'
      ? [['Event types', source.match]]
      : [
          ['Authentication', `${authWords[source.auth].title}. ${authWords[source.auth].meaning}`],
          ['Rate', tellRate(source.rate)],
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

const toChange = (source: SourceRecord) =>
  source.kind === 'sdk'
    ? { name: source.name, match: source.match }
    : { name: source.name, auth: source.auth, rate: source.rate };

function Form({ source }: { source: SourceRecord }) {
  const [wish, setWish] = useState(source);
  const change = useChange();
  const { error } = change;
  const body = toChange(wish);
  const isChanged = JSON.stringify(body) !== JSON.stringify(toChange(source));
  const isAtField = ['name', 'rate', 'match'].some(path => problemOf(error, path) !== null);
  const save = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ method: 'PATCH', path: `/sources/${source.id}`, body });
  };
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <TextInput
          label="Name"
          withAsterisk
          value={wish.name}
          error={problemOf(error, 'name')}
          onChange={event => setWish({ ...wish, name: event.currentTarget.value })}
        />
        {wish.kind === 'sdk' ? (
          <MatchInput
            value={wish.match}
            onChange={match => setWish({ ...wish, match })}
            error={problemOf(error, 'match')}
          />
        ) : (
          <>
            <AuthChoice
              value={wish.auth}
              onChange={auth => setWish({ ...wish, auth })}
              before={source.kind === 'webhook' ? source.auth : 'hmac'}
            />
            <RateInputs value={wish.rate} onChange={rate => setWish({ ...wish, rate })} error={error} />
            <Text size="xs" c="dimmed">
              Now: {tellRate(wish.rate)}. Over it, senders get a 429 that says when to come again.
            </Text>
          </>
        )}
        {error && !isAtField && <ErrorNotice error={error} />}
        <Button type="submit" disabled={!isChanged} loading={change.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  );
}
