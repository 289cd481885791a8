import type { CappedCountRecord, OverviewRecord } from '@sluice/contract/dashboard-overview';
import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { formatCapped } from '../../lib/format.ts';
import { formatShare, isAtMost } from '../../lib/share.ts';
import classes from './funnel.module.css';
import { listedWithin, type Range } from './ranges.ts';

/**
 * Received, what the pipelines made of it, and what became of the deliveries, by the state that they are in now. Each
 * number leads to what it counts, within the same time. An event that one pipeline processed and another failed with is
 * counted as both, as the lists have it.
 */
export function Funnel({ overview, range }: { overview: OverviewRecord; range: Range }) {
  const { totals, present, failed_events } = overview;
  const within = listedWithin(range);
  const exactly = (count: number) => ({ count, more: false });
  const events = (state?: string) => ({
    to: '/events',
    search: { ...(state ? { state } : {}), ...within },
  });
  const deliveries = (state: string) => ({ to: '/deliveries', search: { state, ...within } });
  const { delivered, waiting, retrying, held, dead } = present;
  // Nobody knows what a share of them would be where not all of them were counted.
  const made = isAtMost(present) ? 0 : delivered + waiting.count + retrying.count + held.count + dead.count;
  const of = totals.received;
  return (
    <nav className={classes.funnel} aria-label="What became of events">
      <div className={classes.stage}>
        <Step name="received" label="Received" amount={exactly(totals.received)} of={0} {...events()} />
      </div>
      <Arrow />
      <div className={classes.stage} data-many>
        <Step
          name="processed"
          label="Processed"
          amount={exactly(totals.processed)}
          of={of}
          {...events('processed')}
        />
        <Step
          name="dropped"
          label="Dropped"
          amount={exactly(totals.dropped)}
          of={of}
          {...events('dropped')}
        />
        <Step
          name="failed"
          label="Failed"
          amount={failed_events}
          of={of}
          to="/events"
          search={{ outcome: 'failed', ...within }}
        />
        <Step
          name="unrouted"
          label="Unrouted"
          amount={exactly(totals.unrouted)}
          of={of}
          {...events('unrouted')}
        />
      </div>
      <Arrow />
      <div className={classes.stage} data-many>
        <Step
          name="delivered"
          label="Delivered"
          amount={exactly(delivered)}
          of={made}
          {...deliveries('delivered')}
        />
        <Step name="waiting" label="Waiting" amount={waiting} of={made} {...deliveries('waiting')} />
        <Step name="retrying" label="Retrying" amount={retrying} of={made} {...deliveries('retrying')} />
        <Step
          name="dead"
          label="Dead"
          amount={dead}
          of={made}
          to="/dead-letters"
          search={{ kind: 'delivery', ...within }}
        />
        {held.count > 0 && <Step name="held" label="Held" amount={held} of={made} {...deliveries('held')} />}
      </div>
    </nav>
  );
}

const Arrow = () => <IconChevronRight className={classes.arrow} size={18} aria-hidden />;

function Step(props: {
  name: string;
  label: string;
  amount: CappedCountRecord;
  /** What it is a share of. */
  of: number;
  to: string;
  search: Record<string, string>;
}) {
  const { count } = props.amount;
  const share = formatShare(count, props.of);
  return (
    <Link
      to={props.to}
      search={props.search}
      className={classes.step}
      data-name={props.name}
      data-none={count === 0 || undefined}
    >
      <span className={classes.label}>{props.label}</span>
      <span className={`${classes.amount} numbers`}>{formatCapped(props.amount)}</span>
      {props.of > 0 && (
        <span className={classes.share}>
          <span className={classes.bar} style={{ width: `${Math.min(100, (count / props.of) * 100)}%` }} />
        </span>
      )}
      {share && <span className={`${classes.percent} numbers`}>{share}</span>}
    </Link>
  );
}
