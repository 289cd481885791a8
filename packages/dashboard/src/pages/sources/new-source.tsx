import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import type { ProviderRecord } from '@sluice/contract/dashboard-providers';
import type { NewSourceRecord, SourceRecord, WebhookSourceRecord } from '@sluice/contract/dashboard-sources';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { Command, CopyText } from '../../components/copy.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { isSame } from '../../components/form-baseline/changes.ts';
import { problemOf } from '../../components/kind-form/problems.ts';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import { Page } from '../../components/page.tsx';
import { NotFound, Waiting } from '../../components/page-states.tsx';
import { RestoredNotice } from '../../components/restored-notice.tsx';
import { useFocusOnError } from '../../components/use-focus-on-error.ts';
import { useCall, useChange } from '../../lib/api/use-call.ts';
import { copyName } from '../../lib/copy-name.ts';
import { dropDraft, useKeptDraft } from '../../lib/kept-draft.ts';
import { sendCommand } from '../../lib/send-command.ts';
import { useMay } from '../../lib/session.tsx';
import { useFilters } from '../../lib/use-filters.ts';
import { AuthChoice } from './auth-choice.tsx';
import { ExpectInput } from './expect-input.tsx';
import { MatchInput } from './match-input.tsx';
import { PasteCard } from './paste-card.tsx';
import { ProviderFields, ProviderSteps } from './provider-fields.tsx';
import { ProviderIcon } from './provider-icon.tsx';
import { givenKeys, nothingPasted, type PastedKeys } from './provider-keys.ts';
import { ProviderPicker } from './provider-picker.tsx';
import { RateInputs } from './rate-inputs.tsx';
import { givenScheme, type SchemeDraft, usualScheme } from './scheme-draft.ts';
import { SchemeFields } from './scheme-fields.tsx';
import { draftOf } from './source-draft.ts';
import { givenTypeFrom, type TypeFromDraft, usualType } from './type-from-draft.ts';
import { TypeFromFields, usualTypeOf } from './type-from-fields.tsx';

const kinds = {
  provider: 'GitHub, Stripe, Slack and many more, each verified by its own scheme.',
  webhook: 'A URL that accepts whatever is posted to it. Each request becomes one event.',
  sdk: 'Selects events by type that your code sends to /v1/ingest with an API key.',
} as const;

/** The default rate, as the server has it. */
const usualRate = { per_second: 100, burst: 200 };

type Kind = keyof typeof kinds;

interface NewSourceDraft {
  readonly kind: Kind;
  readonly provider: string | null;
  readonly keys: PastedKeys;
  /** Null: one of the presets is used, or none yet. */
  readonly scheme: SchemeDraft | null;
  readonly name: string;
  readonly auth: WebhookSourceRecord['auth'];
  readonly rate: WebhookSourceRecord['rate'];
  readonly type: TypeFromDraft;
  readonly match: string;
  /** Minutes within which an event is expected. */
  readonly expected: number | null;
}

const emptyDraft: NewSourceDraft = {
  kind: 'webhook',
  provider: null,
  keys: nothingPasted,
  scheme: null,
  name: '',
  auth: 'hmac',
  rate: usualRate,
  type: usualType,
  match: '',
  expected: null,
};

/** The same as another source, but for its secret, which is another one, or asked for. */
function copyOf(source: SourceRecord): NewSourceDraft {
  if (source.kind === 'system') return emptyDraft;
  const [name, expected] = [copyName(source.name), source.expect_every_minutes];
  if (source.kind === 'sdk') return { ...emptyDraft, kind: 'sdk', name, expected, match: source.match };
  const { auth, rate, keys, scheme, type } = draftOf(source);
  const isOurs = auth !== 'provider' && auth !== 'custom';
  return {
    ...emptyDraft,
    kind: isOurs ? 'webhook' : 'provider',
    name,
    expected,
    provider: source.provider ?? null,
    scheme: auth === 'custom' && scheme !== undefined ? scheme : null,
    auth: isOurs ? source.auth : emptyDraft.auth,
    rate: rate ?? emptyDraft.rate,
    keys: keys ?? emptyDraft.keys,
    type: type ?? emptyDraft.type,
  };
}

/** The form of a new source, and after it the secret that is shown once. */
export function NewSourcePage() {
  const mayChange = useMay()('sources.change');
  const [made, setMade] = useState<NewSourceRecord | null>(null);
  const [{ clone, kind }] = useFilters();
  const original = useCall('GET /sources/:id', clone === undefined ? null : { id: clone });
  if (!mayChange) return <NotFound />;
  if (made !== null) return <Made source={made} />;
  if (clone === undefined) {
    const initial: NewSourceDraft = kind === 'provider' ? { ...emptyDraft, kind } : emptyDraft;
    return <SourceForm key={kind ?? ''} name="source new" initial={initial} onMade={setMade} />;
  }
  if (!original.data) return <Waiting error={original.error} onRetry={() => void original.refetch()} />;
  return (
    <SourceForm key={clone} name={`source like ${clone}`} initial={copyOf(original.data)} onMade={setMade} />
  );
}

function SourceForm(props: {
  /** Under which what is filled in is kept. */
  name: string;
  initial: NewSourceDraft;
  onMade(source: NewSourceRecord): void;
}) {
  const { name: draftName, onMade } = props;
  const [initial] = useState(props.initial);
  const {
    draft,
    isRestored,
    change: setDraft,
  } = useKeptDraft(draftName, initial, {
    isFirst: true,
    isChanged: one => !isSame(one, initial),
    withoutSecrets: one => ({
      ...one,
      keys: { ...one.keys, secret: '', verify_token: '' },
      scheme: one.scheme && { ...one.scheme, secret: '' },
    }),
  });
  const isMade = useRef(false);
  const set = (changed: Partial<NewSourceDraft>) => setDraft(before => ({ ...before, ...changed }));
  const { kind, keys, scheme, name, auth, rate, type, match, expected } = draft;
  const { data: providers = [] } = useCall('GET /kinds/providers');
  const provider = providers.find(one => one.name === draft.provider) ?? null;
  const change = useChange('POST /sources');
  const { error } = change;
  const form = useFocusOnError(error);
  const problem = (path: string) => problemOf(error, path);
  const isAtField = [
    'name',
    'rate',
    'match',
    'scheme',
    'type_from',
    'expect_every_minutes',
    ...Object.keys(nothingPasted),
  ].some(path => problem(path) !== null);
  const isChosen = kind !== 'provider' || provider !== null || scheme !== null;

  const make = (event: FormEvent) => {
    event.preventDefault();
    const onSuccess = (made: NewSourceRecord) => {
      isMade.current = true;
      dropDraft(draftName);
      onMade(made);
    };
    change.mutate({ body: bodyOf() }, { onSuccess });
  };

  function bodyOf() {
    const expect = expected === null ? {} : { expect_every_minutes: expected };
    if (kind === 'sdk') return { kind, name, match, ...expect };
    const type_from = givenTypeFrom(type);
    const webhook = {
      kind: 'webhook' as const,
      name,
      rate,
      ...(type_from === null ? {} : { type_from }),
      ...expect,
    };
    if (kind === 'provider' && scheme !== null)
      return { ...webhook, auth: 'custom' as const, ...givenScheme(scheme) };
    if (kind === 'webhook' || provider === null) return { ...webhook, auth };
    return {
      ...webhook,
      auth: 'provider' as const,
      provider: provider.name,
      ...givenKeys(provider, keys),
    };
  }

  const pick = (picked: ProviderRecord | null) => {
    // A name that somebody has typed is theirs.
    const named = name === '' || name === provider?.title ? { name: picked?.title ?? '' } : {};
    set({ ...named, provider: picked?.name ?? null, scheme: null, keys: nothingPasted });
    change.reset();
  };

  return (
    <Page title="New source" lead="Where events come from.">
      <Card>
        <form ref={form} onSubmit={make} noValidate>
          <LeaveGuard
            isUnsaved={() => !isSame(draft, initial) && !isMade.current}
            isKept
            onLeave={() => dropDraft(draftName)}
          />
          <Stack maw={620}>
            {isRestored && <RestoredNotice hasSecrets onDiscard={() => setDraft(() => initial)} />}
            <div>
              <SegmentedControl
                aria-label="Kind"
                value={kind}
                onChange={chosen => set({ kind: chosen as Kind })}
                data={[
                  { value: 'provider', label: 'Provider' },
                  { value: 'webhook', label: 'Webhook' },
                  { value: 'sdk', label: 'API' },
                ]}
              />
              <Text size="sm" c="dimmed" mt={6}>
                {kinds[kind]}
              </Text>
            </div>
            {kind === 'provider' && !isChosen && (
              <ProviderPicker
                providers={providers}
                onPick={pick}
                onOwnScheme={() => set({ scheme: usualScheme })}
              />
            )}
            {kind === 'provider' && provider !== null && (
              <Group gap="sm">
                <ProviderIcon name={provider.name} size={26} />
                <Text fw={600}>{provider.title}</Text>
                <Button variant="subtle" size="compact-sm" onClick={() => pick(null)}>
                  Change provider
                </Button>
              </Group>
            )}
            {isChosen && (
              <TextInput
                label="Name"
                withAsterisk
                placeholder={kind === 'sdk' ? 'Orders' : 'Shop'}
                value={name}
                error={problem('name')}
                onChange={event => set({ name: event.currentTarget.value })}
                data-autofocus
              />
            )}
            {kind === 'provider' && provider !== null && (
              <>
                <ProviderSteps provider={provider} />
                <ProviderFields
                  provider={provider}
                  value={keys}
                  onChange={changed => set({ keys: changed })}
                  error={error}
                />
              </>
            )}
            {kind === 'provider' && scheme !== null && (
              <SchemeFields value={scheme} onChange={changed => set({ scheme: changed })} error={error} />
            )}
            {kind === 'webhook' && (
              <>
                <AuthChoice value={auth} onChange={changed => set({ auth: changed })} />
                <RateInputs value={rate} onChange={changed => set({ rate: changed })} error={error} />
              </>
            )}
            {kind !== 'sdk' && isChosen && (
              <TypeFromFields
                value={type}
                onChange={changed => set({ type: changed })}
                error={error}
                usual={usualTypeOf(kind === 'provider' ? (provider ?? undefined) : undefined)}
              />
            )}
            {kind === 'sdk' && (
              <MatchInput
                value={match}
                onChange={changed => set({ match: changed })}
                error={problem('match')}
              />
            )}
            {isChosen && (
              <ExpectInput value={expected} onChange={changed => set({ expected: changed })} error={error} />
            )}
            {error && !isAtField && <ErrorNotice error={error} />}
            <Group gap="xs">
              <Button type="submit" loading={change.isPending} disabled={!isChosen}>
                Create source
              </Button>
              <Button component={Link} to="/sources" variant="default">
                Cancel
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
      title={`${source.name} created`}
      lead="Ready to receive."
      actions={
        <>
          <Button component={Link} to={`/sources/${source.id}`} variant="default">
            View source
          </Button>
          <Button
            renderRoot={root => <Link to="/destinations/new" search={{ source: source.id }} {...root} />}
          >
            Next: destination
          </Button>
        </>
      }
    >
      {secret !== null && <OneTimeSecret secret={secret} />}
      {source.new_verify_token !== undefined && (
        <OneTimeSecret secret={source.new_verify_token} what="verify token" />
      )}
      {source.kind === 'webhook' && source.url !== null && (
        <Card title="URL">
          <CopyText text={source.url} label="Copy URL" />
        </Card>
      )}
      {source.kind === 'webhook' && source.provider !== undefined && <PasteCard name={source.provider} />}
      {command !== null && (
        <Card title="Send a first event" lead="Paste it into a terminal.">
          <Command text={command} />
        </Card>
      )}
    </Page>
  );
}
