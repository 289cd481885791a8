import { Group, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './card.module.css';

/** A part of a page, with a heading. */
export function Card(props: {
  title?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
  className?: string;
}) {
  return (
    <Paper component="section" className={`${classes.card} ${props.className ?? ''}`}>
      {(props.title || props.actions) && (
        <Group justify="space-between" gap="sm" className={classes.header}>
          <div>
            {props.title && (
              <Title order={2} size="h5">
                {props.title}
              </Title>
            )}
            {props.lead && (
              <Text size="sm" c="dimmed" component="div">
                {props.lead}
              </Text>
            )}
          </div>
          {props.actions && <Group gap="xs">{props.actions}</Group>}
        </Group>
      )}
      {props.children}
    </Paper>
  );
}
