import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { TimedEntityRecord } from '@sluice/contract/entity';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { problemOf } from '../../components/kind-form/problems.ts';
import { LeaveGuard } from '../../components/leave-guard.tsx';
import { call } from '../../lib/api/call.ts';
import { stringifyExact } from '../../lib/api/exact-json.ts';
import { useChanges } from '../../lib/api/use-call.ts';
import { useMay } from '../../lib/session.tsx';
import { TraitTable } from './trait-table.tsx';
import { readTraits, TraitsInput } from './traits-input.tsx';

/** What is known about an entity, and a place to change that. */
export function TraitsCard({ entity }: { entity: TimedEntityRecord }) {
  const [isEdited, setEdited] = useState(false);
  const mayChange = useMay()('entities.change');
  return (
    <Card
      title="Traits"
      lead="What is known about it, and when each was last updated."
      actions={
        mayChange &&
        !isEdited && (
          <Button variant="default" size="xs" onClick={() => setEdited(true)}>
            Edit traits
          </Button>
        )
      }
    >
      {isEdited ? (
        <TraitsEditor entity={entity} onDone={() => setEdited(false)} />
      ) : (
        <TraitTable traits={entity.traits} timeOf={trait => entity.trait_times[trait] ?? null} />
      )}
    </Card>
  );
}

/** Saves over the version that it began with, and over no other: programs write to entities all the time. */
function TraitsEditor({ entity, onDone }: { entity: TimedEntityRecord; onDone(): void }) {
  const { kind, external_id, version } = entity;
  const [begun, setBegun] = useState({ version, text: stringifyExact(entity.traits) });
  const [text, setText] = useState(begun.text);
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
    const now = { version, text: stringifyExact(entity.traits) };
    setBegun(now);
    setText(now.text);
    save.reset();
  };
  const isOvertaken = version !== begun.version && !save.isPending;
  const isConflict = save.error?.code === 'version_conflict';
  return (
    <Stack gap="sm">
      <LeaveGuard isUnsaved={() => text !== begun.text && !save.isSuccess} />
      <TraitsInput text={text} onText={setText} problem={problem ?? problemOf(save.error, 'traits')} />
      {(isOvertaken || isConflict) && (
        <Alert
          color="yellow"
          variant="light"
          role="alert"
          title={`It has changed in the meantime: version ${version}`}
        >
          <Stack gap="xs">
            <Text size="sm">
              You started from version {begun.version}. Load the current traits, or replace them with yours.
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
          disabled={traits === null || text === begun.text}
          onClick={() => write(begun.version)}
        >
          Save traits
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
