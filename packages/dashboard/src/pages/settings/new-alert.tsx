import { Button, Chip, Group, PasswordInput, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { AlertsRecord } from '@sluice/contract/dashboard-alerts';
import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';
import { alertCondition, type SystemEventType, systemEvents } from '@sluice/contract/system-events';
import { type FormEvent, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { isSame } from '../../components/form-baseline/changes.ts';
import { problemOf } from '../../components/kind-form/problems.ts';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import { RestoredNotice } from '../../components/restored-notice.tsx';
import { type CallError, call } from '../../lib/api/call.ts';
import { useChanges } from '../../lib/api/use-call.ts';
import { dropDraft, useKeptDraft } from '../../lib/kept-draft.ts';
import {
  type AlertDraft,
  type AlertKindName,
  alertFields,
  alertKinds,
  configOf,
  isExisting,
  usualDraft,
  withoutAlertSecrets,
} from './alert-kinds.ts';
import { AlertTypes } from './alert-types.tsx';

/** What is told where nobody chooses: whatever is wrong, and that it is well again. */
const usualTypes = (alerts: AlertsRecord): SystemEventType[] =>
  alerts.types.map(({ type }) => type).filter(type => systemEvents[type].isTrouble);

const DRAFT_NAME = 'alert new';

interface NewAlertDraft {
  readonly kind: AlertKindName;
  readonly fields: AlertDraft;
  readonly types: readonly SystemEventType[];
  /** The destination, where one that exists is to be told. */
  readonly existing: string | null;
}

/** One click from here: a destination and the pipeline that leads to it. */
export function NewAlert(props: { alerts: AlertsRecord; destinations: readonly DestinationRecord[] }) {
  const { alerts, destinations } = props;
  const emptyFor = (of: AlertKindName): NewAlertDraft => ({
    kind: of,
    fields: usualDraft(of),
    types: usualTypes(alerts),
    existing: null,
  });
  // That a kind was chosen is one click, and not worth a question.
  const isChanged = (one: NewAlertDraft) => !isSame(one, emptyFor(one.kind));
  const {
    draft,
    isRestored,
    change: setDraft,
  } = useKeptDraft(DRAFT_NAME, emptyFor('slack'), {
    isFirst: true,
    isChanged,
    withoutSecrets: one => ({ ...one, fields: withoutAlertSecrets(one.kind, one.fields) }),
  });
  const { kind, fields, types, existing } = draft;
  const set = (changed: Partial<NewAlertDraft>) => setDraft(before => ({ ...before, ...changed }));
  /** Made before the pipeline was refused: pressing again makes the rest only. */
  const [made, setMade] = useState<string | null>(null);
  const [secret, setSecret] = useState<string | null>(null);

  const make = useChanges(async () => {
    const id = existing ?? made ?? (await makeDestination());
    const name = destinations.find(one => one.id === existing)?.name ?? alertKinds[kind].title;
    await call('POST /pipelines', {
      body: {
        name: `Alerts to ${name}`,
        sources: [alerts.source_id],
        steps: [{ kind: 'filter.match', config: { condition: alertCondition(types) } }],
        destinations: [{ id }],
      },
    });
    setMade(null);
    setDraft(() => emptyFor(kind));
  });

  async function makeDestination() {
    const { id, secret: shown = null } = await call('POST /destinations', {
      body: { kind, name: `${alertKinds[kind].title} alerts`, config: configOf(kind, fields) },
    });
    setMade(id);
    setSecret(shown);
    return id;
  }

  const choose = (chosen: AlertKindName) => {
    set({ kind: chosen, fields: usualDraft(chosen), existing: null });
    setMade(null);
    setSecret(null);
    make.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  const isReady = types.length > 0 && (!isExisting(kind) || existing !== null);

  return (
    <Card
      title="Tell me when something fails"
      lead="Creates a pipeline that sends the chosen system events to a destination, and the destination if it is new."
    >
      <form onSubmit={submit} noValidate>
        <LeaveGuard isUnsaved={() => isChanged(draft)} isKept onLeave={() => dropDraft(DRAFT_NAME)} />
        <Stack>
          {isRestored && <RestoredNotice hasSecrets onDiscard={() => setDraft(() => emptyFor(kind))} />}
          <Chip.Group value={kind} onChange={chosen => choose(chosen as AlertKindName)}>
            <Group gap="xs" role="radiogroup" aria-label="Where to">
              {Object.entries(alertKinds).map(([value, { title }]) => (
                <Chip key={value} value={value}>
                  {title}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
          {isExisting(kind) ? (
            <Select
              label="Destination"
              description="Its template decides how an alert looks; without one it is a card of the event."
              placeholder="Choose one"
              data={destinations.map(({ id, name }) => ({ value: id, label: name }))}
              value={existing}
              onChange={chosen => set({ existing: chosen })}
              maw={560}
            />
          ) : (
            <Fields
              kind={kind}
              value={fields}
              onChange={typed => set({ fields: typed })}
              error={make.error}
            />
          )}
          <Disclosure summary={`${types.length} of ${alerts.types.length} system events`}>
            <AlertTypes offered={alerts.types} value={types} onChange={chosen => set({ types: chosen })} />
          </Disclosure>
          {make.error && !isAtField(kind, make.error) && <ErrorNotice error={make.error} />}
          {secret !== null && <OneTimeSecret secret={secret} />}
          <Group>
            <Button type="submit" loading={make.isPending} disabled={!isReady}>
              {`Tell me ${alertKinds[kind].how} when something fails`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

const isAtField = (kind: AlertKindName, error: CallError): boolean =>
  alertFields(kind).some(({ name }) => problemOf(error, `config.${name}`) !== null);

function Fields(props: {
  kind: AlertKindName;
  value: AlertDraft;
  onChange(draft: AlertDraft): void;
  error: CallError | null;
}) {
  const { kind, value, onChange } = props;
  const fields = alertFields(kind);
  return (
    <SimpleGrid cols={{ base: 1, sm: fields.length > 2 ? 2 : 1 }} maw={560}>
      {fields.map(({ name, label, placeholder, isSecret, choices, isOptional = false }) => {
        const field = {
          label,
          placeholder,
          withAsterisk: !isOptional,
          value: value[name] ?? '',
          error: problemOf(props.error, `config.${name}`),
        };
        const set = (text: string) => onChange({ ...value, [name]: text });
        if (choices !== undefined)
          return <Select key={name} {...field} data={[...choices]} onChange={chosen => set(chosen ?? '')} />;
        const Input = isSecret ? PasswordInput : TextInput;
        return (
          <Input
            key={name}
            {...field}
            autoComplete={isSecret ? 'new-password' : 'off'}
            onChange={event => set(event.currentTarget.value)}
          />
        );
      })}
    </SimpleGrid>
  );
}
