import { Button, Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatNumber } from '../../lib/format.ts';
import classes from './selection.module.css';
import type { Selection } from './use-selection.ts';

/** How many are selected, and what can be done with them. Nothing is seen where none is. */
export function SelectionBar(props: {
  selection: Selection<{ readonly id: string }>;
  one: string;
  many: string;
  /** Said where more are shown than one action takes: how many it takes, and what takes more. */
  limit: string;
  /** The buttons that do it. */
  children: ReactNode;
}) {
  const { selection, one, many } = props;
  const count = selection.rows.length;
  const isFull = count === selection.most && selection.shown > count;
  const counted = isFull ? `${formatNumber(count)} of ${formatNumber(selection.shown)}` : formatNumber(count);
  return (
    <Paper
      className={count > 0 ? classes.bar : classes.none}
      {...(count > 0 && { role: 'region', 'aria-label': `Selected ${many}` })}
    >
      {/* Always there: only what changes inside of it is announced. */}
      <Text size="sm" fw={600} className="numbers" role="status">
        {count > 0 && `${counted} ${count === 1 ? one : many} selected`}
      </Text>
      {isFull && (
        <Text size="sm" c="dimmed">
          {props.limit}
        </Text>
      )}
      {count > 0 && (
        <Group gap="xs" className={classes.actions ?? ''}>
          {props.children}
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            aria-label="Clear selection"
            onClick={selection.clear}
          >
            Clear
          </Button>
        </Group>
      )}
    </Paper>
  );
}
