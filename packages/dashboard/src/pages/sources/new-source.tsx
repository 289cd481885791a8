import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import type { NewSourceRecord, SourceRecord, WebhookSourceRecord } from '@sluice/contract/dashboard-sources';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { Command, CopyText } from '../../components/copy.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { problemOf } from '../../components/kind-form/problems.ts';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import { Page } from '../../components/page.tsx';
import { NotFound } from '../../components/page-states.tsx';
import { useChange } from '../../lib/api/use-call.ts';
import { sendCommand } from '../../lib/send-command.ts';
import { useMay } from '../../lib/session.tsx';
import { AuthChoice } from './auth-choice.tsx';
import { MatchInput } from './match-input.tsx';
import { RateInputs } from './rate-inputs.tsx';

const kinds = {
  webhook: 'A URL of its own takes whatever any sender posts to it. Each request becomes one event.',
  sdk: 'Picks out events by their type that your code sends with an API key to /v1/ingest.',
} as const;

/** The default rate, as the server has it. */
const usualRate = { per_second: 100, burst: 200 };

/** The form of a new source, and after it the secret that is shown once. */
export function NewSourcePage() {
  const mayChange = useMay()('sources.change');
  const [made, setMade] = useState<NewSourceRecord | null>(null);
  if (!mayChange) return <NotFound />;
  return made === null ? <SourceForm onMade={setMade} /> : <Made source={made} />;
}

function SourceForm({ onMade }: { onMade(source: NewSourceRecord): void }) {
  const [kind, setKind] = useState<SourceRecord['kind']>('webhook');
  const [name, setName] = useState('');
  const [auth, setAuth] = useState<WebhookSourceRecord['auth']>('hmac');
  const [rate, setRate] = useState<WebhookSourceRecord['rate']>(usualRate);
  const [match, setMatch] = useState('');
  const change = useChange('POST /sources');
  const { error } = change;
  const problem = (path: string) => problemOf(error, path);
  const isAtField = ['name', 'rate', 'match'].some(path => problem(path) !== null);

  const make = (event: FormEvent) => {
    event.preventDefault();
    const body = kind === 'webhook' ? { kind, name, auth, rate } : { kind, name, match };
    change.mutate({ body }, { onSuccess: onMade });
  };

  return (
    <Page title="New source" lead="Where events come from.">
      <Card>
        <form onSubmit={make} noValidate>
          <Stack maw={620}>
            <div>
              <SegmentedControl
                aria-label="Kind"
                value={kind}
                onChange={chosen => setKind(chosen as SourceRecord['kind'])}
                data={[
                  { value: 'webhook', label: 'Webhook' },
                  { value: 'sdk', label: 'SDK' },
                ]}
              />
              <Text size="sm" c="dimmed" mt={6}>
                {kinds[kind]}
              </Text>
            </div>
            <TextInput
              label="Name"
              withAsterisk
              placeholder={kind === 'webhook' ? 'Shop' : 'Orders'}
              value={name}
              error={problem('name')}
              onChange={event => setName(event.currentTarget.value)}
              data-autofocus
            />
            {kind === 'webhook' ? (
              <>
                <AuthChoice value={auth} onChange={setAuth} />
                <RateInputs value={rate} onChange={setRate} error={error} />
              </>
            ) : (
              <MatchInput value={match} onChange={setMatch} error={problem('match')} />
            )}
            {error && !isAtField && <ErrorNotice error={error} />}
            <Group gap="xs">
              <Button type="submit" loading={change.isPending}>
                Make the source
              </Button>
              <Button component={Link} to="/sources" variant="default">
                Leave it
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
    </Page>
  );
}

/** What is shown this once, and the first thing to do with it. */
function Made({ source }: { source: NewSourceRecord }) {
  const secret = source.kind === 'webhook' && source.auth !== 'none' ? (source.secret ?? null) : null;
  const command = sendCommand(source, window.location.origin, secret);
  return (
    <Page
      title={`${source.name} is there`}
      lead="It takes events from now on."
      actions={
        <Button component={Link} to={`/sources/${source.id}`}>
          To the source
        </Button>
      }
    >
      {secret !== null && <OneTimeSecret secret={secret} />}
      {source.kind === 'webhook' && source.url !== null && (
        <Card title="URL">
          <CopyText text={source.url} label="Copy the URL" />
        </Card>
      )}
      {command !== null && (
        <Card title="Send a first event" lead="Paste it into a terminal.">
          <Command text={command} />
        </Card>
      )}
    </Page>
  );
}
