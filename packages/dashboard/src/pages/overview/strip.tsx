import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { formatCapped } from '../../lib/format.ts';
import { addCapped } from '../../lib/share.ts';
import classes from './strip.module.css';

/** What is wrong right now, in one line; nothing where nothing is. */
export function Strip({ overview: { down } }: { overview: OverviewRecord }) {
  const [first] = down;
  if (first === undefined) return null;
  const what = down.length === 1 ? `${first.name} is down` : `${down.length} destinations are down`;
  const waiting = down.map(one => one.waiting).reduce(addCapped);
  return (
    <div className={classes.strip} role="status">
      <IconAlertTriangle size={18} aria-hidden />
      <span>
        <b>{what}</b>
        {waiting.count > 0 && ` · ${formatCapped(waiting)} waiting`}
      </span>
      <Link to={down.length === 1 ? `/destinations/${first.id}` : '/destinations'} className={classes.open}>
        Open
      </Link>
    </div>
  );
}
