import { Button } from '@mantine/core';
import type { DeadLetter } from '@sluice/contract/dashboard-letters';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { SelectionBar } from '../../components/selection/selection-bar.tsx';
import type { Selection } from '../../components/selection/use-selection.ts';
import { formatNumber } from '../../lib/format.ts';
import { focusAfterRemoval } from '../../lib/undo/focus-after-removal.ts';
import { useLetters } from './use-letters.ts';

/** As many as one call takes. */
export const MOST_SELECTED = 1_000;

/** What can be done with the dead letters that are selected. */
export function LetterSelectionBar(props: { selection: Selection<DeadLetter>; onJob(id: string): void }) {
  const { selection } = props;
  const letters = useLetters(props.onJob);
  return (
    <SelectionBar
      selection={selection}
      one="dead letter"
      many="dead letters"
      limit={`Up to ${formatNumber(MOST_SELECTED)} at a time; to include more, retry or discard all that match.`}
    >
      <Button
        size="compact-sm"
        loading={letters.isRetrying}
        leftSection={<IconRefresh size={15} aria-hidden />}
        onClick={async () => {
          if (await letters.retrySelected(selection.rows)) selection.clear();
        }}
      >
        Retry
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconTrash size={15} aria-hidden />}
        onClick={() =>
          focusAfterRemoval(
            () => {
              letters.discardSelected(selection.rows);
              selection.clear();
            },
            () => selection.allBox.current,
          )
        }
      >
        Discard
      </Button>
    </SelectionBar>
  );
}
