import { Button, Group, Paper, Text } from '@mantine/core';
import type { DeadLetter } from '@sluice/contract/dashboard-letters';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import type { Column } from '../../components/rows.tsx';
import classes from './dead-letters.module.css';
import { useLetters } from './use-letters.ts';

/** As many as one call takes. */
const MOST_SELECTED = 1_000;

const NONE: ReadonlySet<string> = new Set();

interface LetterSelection {
  readonly ids: ReadonlySet<string>;
  toggle(letter: DeadLetter): void;
  select(ids: readonly string[]): void;
}

/** What is selected among the rows of one query. Another shows others: nobody acts on what they no longer see. */
export function useLetterSelection(of: unknown): LetterSelection {
  const [selection, setSelection] = useState({ of, ids: NONE });
  const toggle = useCallback(
    ({ id }: DeadLetter) =>
      setSelection(before => {
        const ids = new Set(before.of === of ? before.ids : NONE);
        if (!ids.delete(id) && ids.size < MOST_SELECTED) ids.add(id);
        return { of, ids };
      }),
    [of],
  );
  const select = useCallback(
    (ids: readonly string[]) => setSelection({ of, ids: new Set(ids.slice(0, MOST_SELECTED)) }),
    [of],
  );
  const ids = selection.of === of ? selection.ids : NONE;
  return useMemo(() => ({ ids, toggle, select }), [ids, toggle, select]);
}

/** What can be done with those that are selected. */
export function SelectionBar(props: {
  rows: readonly DeadLetter[];
  selection: LetterSelection;
  onJob(id: string): void;
}) {
  const { rows, selection } = props;
  const letters = useLetters(props.onJob);
  const selected = rows.filter(({ id }) => selection.ids.has(id));
  if (selected.length === 0) return null;
  const clear = () => selection.select([]);
  return (
    <Paper className={classes.bar ?? ''} role="region" aria-label="Selected dead letters">
      <Text size="sm" fw={600} className="numbers">
        {selected.length} selected
      </Text>
      {selected.length < Math.min(rows.length, MOST_SELECTED) && (
        <Button size="compact-sm" variant="subtle" onClick={() => selection.select(rows.map(({ id }) => id))}>
          Select all {Math.min(rows.length, MOST_SELECTED)} shown
        </Button>
      )}
      <Group gap="xs" ml="auto">
        <Button
          size="compact-sm"
          loading={letters.isRetrying}
          leftSection={<IconRefresh size={15} aria-hidden />}
          onClick={() => void letters.retrySelected(selected).then(clear)}
        >
          Retry
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconTrash size={15} aria-hidden />}
          onClick={() => {
            letters.discardSelected(selected);
            clear();
          }}
        >
          Discard
        </Button>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={clear}>
          Clear selection
        </Button>
      </Group>
    </Paper>
  );
}

export const selectColumn = ({ ids, toggle }: LetterSelection): Column<DeadLetter> => ({
  header: 'Select',
  isHeaderHidden: true,
  width: '22px',
  cell: letter => (
    <input
      type="checkbox"
      className={classes.select}
      aria-label={`Select ${letter.event_type}, ${letter.id}`}
      checked={ids.has(letter.id)}
      onChange={() => toggle(letter)}
    />
  ),
});
