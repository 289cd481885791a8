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
import { useFocusOnError } from '../../components/use-focus-on-error.ts';
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

interface DraftOwner {
  readonly id?: string | undefined;
  readonly original?: string | undefined;
}

/** Under which what is filled in is kept. */
const draftNameOf = (kind: string, { id, original }: DraftOwner): string =>
  `destination ${id ?? (original === undefined ? `new ${kind}` : `like ${original}`)}`;

const previewNameOf = (draftName: string): string => `${draftName} preview`;

/** Includes the preview’s event. */
export function dropDestinationDrafts(kind: string, owner: DraftOwner): void {
  const name = draftNameOf(kind, owner);
  dropDraft(name);
  dropDraft(previewNameOf(name));
}

/** With the delays as they are written, which may be none yet. */
interface FormDraft extends DestinationDraft {
  readonly delays: string;
}

const toFormDraft = (draft: DestinationDraft): FormDraft => ({
  ...draft,
  delays: writeDelays(draft.policy.schedule_s),
});
const toDestinationDraft = ({ delays: _, ...draft }: FormDraft): DestinationDraft => draft;

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
  const name = draftNameOf(kind.kind, props);
  const begun = toFormDraft(initial);
  // The same delays written in another way are no change.
  const isChanged = (one: FormDraft) =>
    readDelays(one.delays) === null || !isSame(toDestinationDraft(one), initial);
  const {
    draft,
    isRestored,
    isOutdated,
    change: setDraft,
  } = useKeptDraft(name, begun, {
    isFirst: props.isFirst ?? true,
    isChanged,
    withoutSecrets: one => ({ ...one, config: withoutTyped(one.config, kind, initial.config) }),
  });
  /** Rises when it begins again, so that no field keeps what was typed. */
  const [edition, setEdition] = useState(0);
  const discard = () => {
    setDraft(() => begun);
    setEdition(before => before + 1);
  };
  const form = useFocusOnError(error);
  const delaysField = useRef<HTMLInputElement>(null);
  const { onTouch } = props;
  // What was restored is what somebody typed: it is not to be overwritten by what is stored.
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once; whoever is told may be another each time
  useEffect(() => {
    if (isRestored) onTouch?.();
  }, [isRestored]);
  const change = (changed: Partial<FormDraft>) => {
    setDraft(before => ({ ...before, ...changed }));
    props.onTouch?.();
  };
  const isDone = () => props.isDone?.() ?? false;
  const problems = problemsOf(error, 'config');
  const isAtField = ['name', 'policy'].some(path => problemOf(error, path) !== null);
  const hasConfig = variantsOf(kind.schema).length > 0 || askedFields(kind.schema).length > 0;
  const isUnsaved = isChanged(draft);
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
    if (readDelays(draft.delays) === null) delaysField.current?.focus();
    else props.onSave(toDestinationDraft(draft));
  };
  return (
    <form ref={form} onSubmit={save} noValidate>
      <LeaveGuard isUnsaved={() => isUnsaved && !isDone()} isKept onLeave={() => dropDraft(name)} />
      <Stack>
        {isRestored && <RestoredNotice hasSecrets onDiscard={discard} />}
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
            key={edition}
            schema={kind.schema}
            value={draft.config}
            onChange={config => change({ config })}
            problems={problems}
            aids={aids}
          />
        )}
        {kind.has_preview && (
          <Suspense fallback={<Loading />}>
            <MessagePreview
              draftName={previewNameOf(name)}
              isDone={isDone}
              kind={kind.kind}
              id={id}
              config={draft.config}
            />
          </Suspense>
        )}
        <Fieldset legend="Retries and limits" bg="transparent">
          <PolicyForm
            value={draft.policy}
            onChange={policy => change({ policy })}
            delays={draft.delays}
            onDelays={delays => {
              const schedule_s = readDelays(delays);
              change({ delays, ...(schedule_s ? { policy: { ...draft.policy, schedule_s } } : {}) });
            }}
            delaysField={delaysField}
            error={error}
          />
        </Fieldset>
        {error && !isAtField && Object.keys(problems).length === 0 && <ErrorNotice error={error} />}
        {props.notice}
        <Group gap="xs">
          <Button type="submit" loading={props.isSaving} disabled={id !== undefined && !isUnsaved}>
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
