import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { TimedEntityRecord } from '@sluice/contract/entity';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { problemOf } from '../../components/kind-form/problems.ts';
import { useLeaveGuard } from '../../components/leave-guard.tsx';
import { RestoredNotice } from '../../components/restored-notice.tsx';
import { call } from '../../lib/api/call.ts';
import { stringifyExact } from '../../lib/api/exact-json.ts';
import { useChanges } from '../../lib/api/use-call.ts';
import { dropDraft, useKeptDraft } from '../../lib/kept-draft.ts';
import { useMay } from '../../lib/session.tsx';
import { TraitTable } from './trait-table.tsx';
import { readTraits, TraitsInput } from './traits-input.tsx';

/** Traits that are being edited, with the version that they were of. */
interface EditedTraits {
  readonly version: number;
  readonly before: string;
  readonly text: string;
}

const begin = ({ version, traits }: TimedEntityRecord): EditedTraits => {
  const before = stringifyExact(traits);
  return { version, before, text: before };
};

/** What is known about an entity, and a place to change that. */
export function TraitsCard({ entity }: { entity: TimedEntityRecord }) {
  const draftName = `traits ${entity.kind} ${entity.external_id}`;
  const {
    draft: edited,
    isRestored,
    change,
  } = useKeptDraft<EditedTraits | null>(draftName, null, {
    isFirst: true,
    isChanged: one => one !== null && one.text !== one.before,
    withoutSecrets: one => one,
  });
  const edit = (next: EditedTraits | null) => change(() => next);
  const mayChange = useMay()('entities.change');
  return (
    <Card
      title="Traits"
      lead="What is known about it, and when each was last updated."
      actions={
        mayChange &&
        edited === null && (
          <Button variant="default" size="xs" onClick={() => edit(begin(entity))}>
            Edit traits
          </Button>
        )
      }
    >
      {edited !== null && mayChange ? (
        <TraitsEditor
          entity={entity}
          edited={edited}
          isRestored={isRestored}
          onChange={edit}
          onDone={() => edit(null)}
          onLeave={() => dropDraft(draftName)}
        />
      ) : (
        <TraitTable traits={entity.traits} timeOf={trait => entity.trait_times[trait] ?? null} />
      )}
    </Card>
  );
}

/** Saves over the version that it began with, and over no other: programs write to entities all the time. */
function TraitsEditor(props: {
  entity: TimedEntityRecord;
  edited: EditedTraits;
  /** It was written before a reload. */
  isRestored: boolean;
  onChange(edited: EditedTraits): void;
  onDone(): void;
  onLeave(): void;
}) {
  const { entity, edited, onDone } = props;
  const { kind, external_id, version } = entity;
  const { text } = edited;
  const { traits, problem } = readTraits(text);
  const save = useChanges((input: { readonly traits: object; readonly over: number }) =>
    call(
      'PUT /entities/:kind/:external_id',
      { kind, external_id, body: { traits: { ...input.traits } } },
      { ifMatch: input.over },
    ),
  );
  const write = (over: number) => {
    if (traits !== null) save.mutate({ traits, over }, { onSuccess: onDone });
  };
  const load = () => {
    props.onChange(begin(entity));
    save.reset();
  };
  const isUnsaved = text !== edited.before;
  const guard = useLeaveGuard({
    isUnsaved: () => isUnsaved && !save.isSuccess,
    isKept: true,
    onLeave: props.onLeave,
  });
  const isOvertaken = version !== edited.version && !save.isPending;
  const isConflict = save.error?.code === 'version_conflict';
  return (
    <Stack gap="sm">
      {guard.question}
      {props.isRestored && <RestoredNotice onDiscard={load} />}
      <TraitsInput
        text={text}
        onText={given => props.onChange({ ...edited, text: given })}
        problem={problem ?? problemOf(save.error, 'traits')}
      />
      {(isOvertaken || isConflict) && (
        <Alert
          color="yellow"
          variant="light"
          role="alert"
          title={`It has changed in the meantime: version ${version}`}
        >
          <Stack gap="xs">
            <Text size="sm">
              You started from version {edited.version}. Load the current traits, or replace them with yours.
            </Text>
            <Group gap="xs">
              <Button variant="default" size="compact-sm" onClick={load}>
                Load version {version}
              </Button>
              <Button
                variant="default"
                size="compact-sm"
                disabled={traits === null}
                onClick={() => write(version)}
              >
                Replace with mine
              </Button>
            </Group>
          </Stack>
        </Alert>
      )}
      {save.error && !isConflict && problemOf(save.error, 'traits') === null && (
        <ErrorNotice error={save.error} />
      )}
      <Group gap="xs">
        <Button
          size="xs"
          loading={save.isPending}
          disabled={traits === null || !isUnsaved}
          onClick={() => write(edited.version)}
        >
          Save traits
        </Button>
        <Button size="xs" variant="default" onClick={() => guard.ask(onDone)}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
