import { IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import classes from './disclosure.module.css';

/** A line that opens. What is inside is drawn when it is first opened, since a page may have many. */
export function Disclosure(props: {
  summary: ReactNode;
  /** Beside the line, and no part of what is pressed to open it. */
  aside?: ReactNode;
  children: ReactNode;
  startsOpen?: boolean;
}) {
  const [isOpen, setOpen] = useState(props.startsOpen ?? false);
  const [wasOpen, setWasOpen] = useState(isOpen);
  return (
    <div className={classes.frame}>
      <details
        className={classes.details}
        open={isOpen}
        onToggle={event => {
          setOpen(event.currentTarget.open);
          if (event.currentTarget.open) setWasOpen(true);
        }}
      >
        <summary className={classes.summary}>
          <IconChevronRight size={16} aria-hidden className={classes.chevron} />
          <span className={classes.line}>{props.summary}</span>
        </summary>
        {wasOpen && <div className={classes.inside}>{props.children}</div>}
      </details>
      {props.aside && <div className={classes.aside}>{props.aside}</div>}
    </div>
  );
}
