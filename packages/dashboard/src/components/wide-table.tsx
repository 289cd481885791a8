import type { ReactNode } from 'react';
import classes from './wide-table.module.css';

/** A table that is scrolled sideways where there is no room for it, by keys too. */
export function WideTable({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keys
    <section className={classes.frame} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
