import { NavLink } from '@mantine/core';
import { IconBook } from '@tabler/icons-react';
import { useRouterState } from '@tanstack/react-router';
import { guideOf } from '../lib/guides.ts';
import classes from './shell.module.css';

/** To the page of the guide that fits the page one is on, beside it: a form that is half filled in stays. */
export function DocsLink() {
  const href = useRouterState({
    select: ({ matches }) => {
      const here = matches.at(-1);
      return guideOf(here?.fullPath ?? '', String(here?.params.section ?? ''));
    },
  });
  return (
    <NavLink
      component="a"
      href={href}
      target="_blank"
      rel="noopener"
      label="Docs"
      leftSection={<IconBook size={17} stroke={1.7} aria-hidden />}
      className={classes.link ?? ''}
    />
  );
}
