import { Button } from '@mantine/core';
import { usePendingRemovals, useRemovals } from '../lib/undo/use-removals.tsx';
import classes from './undo-notices.module.css';

/** What was deleted or discarded a moment ago, on whatever page, each with the way back. */
export function UndoNotices() {
  const removals = useRemovals();
  const pending = usePendingRemovals().filter(({ isUnderWay }) => !isUnderWay);
  return (
    <section className={classes.notices} aria-label="Undo" aria-live="polite">
      {pending.map(({ key, message }) => (
        <div key={key} className={classes.notice}>
          <span className={classes.message}>{message}</span>
          <Button
            size="compact-sm"
            variant="white"
            flex="none"
            data-undo
            onClick={() => removals.undo(key)}
            aria-label={`Undo: ${message}`}
          >
            Undo
          </Button>
        </div>
      ))}
    </section>
  );
}
