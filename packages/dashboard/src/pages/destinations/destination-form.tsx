import { Alert, Button, Fieldset, Group, Stack, TextInput } from '@mantine/core';
import type { DeliveryPolicy } from '@sluice/contract/dashboard-deliveries';
import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import { IconShieldCheck } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { isSame } from '../../components/form-baseline/changes.ts';
import { type Aids, KindForm } from '../../components/kind-form/kind-form.tsx';
import { problemOf, problemsOf } from '../../components/kind-form/problems.ts';
import { askedFields, type Config, variantsOf } from '../../components/kind-form/schema.ts';
import { withoutTyped } from '../../components/kind-form/typed-secrets.ts';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { Loading } from '../../components/page-states.tsx';
import { OutdatedNotice, RestoredNotice } from '../../components/restored-notice.tsx';
import type { CallError } from '../../lib/api/call.ts';
import { dropDraft, useKeptDraft } from '../../lib/kept-draft.ts';
import { lazily } from '../../lib/lazily.ts';
import { PolicyForm } from './policy-form.tsx';
import { readDelays, writeDelays } from './retry-policy-text.ts';
import { TableColumns } from './table-columns.tsx';

/** Few kinds have one. */
const MessagePreview = lazily(() => import('./preview/message-preview.tsx'));

export interface DestinationDraft {
  readonly name: string;
  readonly config: Config;
  readonly policy: DeliveryPolicy;
}

/** Under which what is filled in is kept. */
export const destinationDraftName = (
  kind: string,
  { id, original }: { readonly id?: string | undefined; readonly original?: string | undefined },
): string => `destination ${id ?? (original === undefined ? `new ${kind}` : `like ${original}`)}`;

/** The form of a destination of any kind. What is being filled in lives here until it is saved. */
export function DestinationForm(props: {
  kind: KindRecord;
  initial: DestinationDraft;
  /** Of one that exists, whose secrets may be kept. */
  id?: string;
  /** Of one that this is a copy of, whose secrets are copied. */
  original?: string | undefined;
  error: CallError | null;
  isSaving: boolean;
  saveLabel: string;
  beside?: ReactNode;
  /** Stands above the button that saves. */
  notice?: ReactNode;
  /** Somebody is filling it in. */
  onTouch?(): void;
  /** False once it has begun again after a save. */
  isFirst?: boolean;
  /** It was saved, and the page may be left. */
  isDone?(): boolean;
  onSave(draft: DestinationDraft): void;
}) {
  const { kind, initial, id, error } = props;
  const secretsOf = id ?? props.original;
  const name = destinationDraftName(kind.kind, props);
  const {
    draft,
    isRestored,
    isOutdated,
    change: setDraft,
  } = useKeptDraft(name, initial, {
    isFirst: props.isFirst ?? true,
    isChanged: one => !isSame(one, initial),
    withoutSecrets: one => ({ ...one, config: withoutTyped(one.config, kind, initial.config) }),
  });
  const [delays, setDelays] = useState(() => writeDelays(draft.policy.schedule_s));
  const delaysField = useRef<HTMLInputElement>(null);
  const { onTouch } = props;
  // What was restored is what somebody typed: it is not to be overwritten by what is stored.
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once; whoever is told may be another each time
  useEffect(() => {
    if (isRestored) onTouch?.();
  }, [isRestored]);
  const change = (changed: Partial<DestinationDraft>) => {
    setDraft(before => ({ ...before, ...changed }));
    props.onTouch?.();
  };
  const problems = problemsOf(error, 'config');
  const isAtField = ['name', 'policy'].some(path => problemOf(error, path) !== null);
  const hasConfig = variantsOf(kind.schema).length > 0 || askedFields(kind.schema).length > 0;
  const isReadable = readDelays(delays) !== null;
  const isChanged = !isReadable || !isSame(draft, initial);
  const aids: Aids = {
    table_columns: field => (
      <TableColumns
        {...field}
        kind={kind.kind}
        config={draft.config}
        {...(secretsOf === undefined ? {} : { id: secretsOf })}
      />
    ),
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (isReadable) props.onSave(draft);
    else delaysField.current?.focus();
  };
  return (
    <form onSubmit={save} noValidate>
      <LeaveGuard
        isUnsaved={() => isChanged && !(props.isDone?.() ?? false)}
        isKept
        onLeave={() => dropDraft(name)}
      />
      <Stack>
        {isRestored && (
          <RestoredNotice
            hasSecrets
            onDiscard={() => {
              setDraft(() => initial);
              setDelays(writeDelays(initial.policy.schedule_s));
            }}
          />
        )}
        {isOutdated && <OutdatedNotice />}
        <TextInput
          label="Name"
          withAsterisk
          placeholder={kind.title}
          value={draft.name}
          error={problemOf(error, 'name')}
          onChange={event => change({ name: event.currentTarget.value })}
        />
        {hasConfig && <Egress addresses={kind.egress_addresses ?? []} />}
        {hasConfig && (
          <KindForm
            schema={kind.schema}
            value={draft.config}
            onChange={config => change({ config })}
            problems={problems}
            aids={aids}
          />
        )}
        {kind.has_preview && (
          <Suspense fallback={<Loading />}>
            <MessagePreview kind={kind.kind} id={id} config={draft.config} />
          </Suspense>
        )}
        <Fieldset legend="Retries and limits" bg="transparent">
          <PolicyForm
            value={draft.policy}
            onChange={policy => change({ policy })}
            delays={delays}
            onDelays={text => {
              setDelays(text);
              const schedule_s = readDelays(text);
              change(schedule_s ? { policy: { ...draft.policy, schedule_s } } : {});
            }}
            delaysField={delaysField}
            error={error}
          />
        </Fieldset>
        {error && !isAtField && Object.keys(problems).length === 0 && <ErrorNotice error={error} />}
        {props.notice}
        <Group gap="xs">
          <Button type="submit" loading={props.isSaving} disabled={id !== undefined && !isChanged}>
            {props.saveLabel}
          </Button>
          {props.beside}
        </Group>
      </Stack>
    </form>
  );
}

/** For those whose firewall has to let us in. */
function Egress({ addresses }: { addresses: readonly string[] }) {
  if (addresses.length === 0) return null;
  return (
    <Alert color="gray" variant="light" icon={<IconShieldCheck size={18} aria-hidden />}>
      Connections come from <span className="mono">{addresses.join(', ')}</span>. If a firewall is in front of
      it, allow them there.
    </Alert>
  );
}
