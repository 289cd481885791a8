import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { guideOf } from '../lib/guides.ts';
import { Brand } from './brand.tsx';
import { Card } from './card.tsx';
import classes from './public-frame.module.css';

/** A page for those who are not logged in: one card in the middle. */
export function PublicFrame(props: { title: string; lead?: ReactNode; children: ReactNode }) {
  useDocumentTitle(`${props.title} · Sluice`);
  const guide = useRouterState({ select: ({ matches }) => guideOf(matches.at(-1)?.fullPath ?? '') });
  return (
    <main className={classes.frame}>
      <Brand />
      <Card className={classes.card ?? ''}>
        <Stack gap="md">
          <div>
            <Title order={1} size="h3">
              {props.title}
            </Title>
            {props.lead && (
              <Text size="sm" c="dimmed" component="div" mt={4}>
                {props.lead}
              </Text>
            )}
          </div>
          {props.children}
        </Stack>
      </Card>
      <Anchor href={guide} target="_blank" rel="noopener" size="sm">
        Docs
      </Anchor>
    </main>
  );
}
