import { Box, Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './page.module.css';

/**
 * A page: its title, what it is for in one sentence, its main actions, and below that what is on it. `fill` gives
 * what is inside the whole height, for lists that scroll by themselves.
 */
export function Page(props: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  fill?: boolean;
  /** Beside the title: a state, a kind. */
  badge?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(`${props.title} · Sluice`);
  return (
    <Box className={classes.page} data-fill={props.fill || undefined}>
      <Group className={classes.header} justify="space-between" align="flex-start" gap="md">
        <div className={classes.titles}>
          <Group gap="sm">
            <Title order={1} size="h2" className={classes.title}>
              {props.title}
            </Title>
            {props.badge}
          </Group>
          {props.lead && (
            <Text c="dimmed" size="sm" component="div">
              {props.lead}
            </Text>
          )}
        </div>
        {props.actions && <Group gap="xs">{props.actions}</Group>}
      </Group>
      {props.children}
    </Box>
  );
}
