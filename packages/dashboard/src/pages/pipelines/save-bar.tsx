import { Button, Group, Text, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { ErrorNotice } from '../../components/error-notice.tsx';
import type { CallError } from '../../lib/api/call.ts';
import classes from './pipeline.module.css';

/** Stays in sight while something is unsaved. */
export function SaveBar(props: {
  isNew: boolean;
  label: string;
  /** What stands in the way, where it has no place of its own on the page. */
  error: CallError | null;
  isSaving: boolean;
  /** On the version that is made; null where none is. */
  note: string | null;
  onNote(note: string): void;
  onSave(): void;
  onDiscard: (() => void) | null;
}) {
  useHotkeys([['mod+S', props.onSave]], [], true);
  return (
    <section className={classes.saveBar} aria-label="Unsaved changes">
      {props.error ? (
        <ErrorNotice error={props.error} />
      ) : (
        <Text size="sm" c="dimmed">
          {props.isNew ? 'This pipeline is not saved yet.' : 'There are unsaved changes.'}
        </Text>
      )}
      {props.note !== null && (
        <TextInput
          className={classes.note ?? ''}
          aria-label="Note on this version"
          placeholder="Note: what changed, and why (optional)"
          maxLength={500}
          value={props.note}
          onChange={event => props.onNote(event.currentTarget.value)}
        />
      )}
      <Group gap="xs" ml="auto">
        {props.onDiscard && (
          <Button variant="default" onClick={props.onDiscard}>
            Discard
          </Button>
        )}
        <Button loading={props.isSaving} onClick={props.onSave}>
          {props.label}
        </Button>
      </Group>
    </section>
  );
}
