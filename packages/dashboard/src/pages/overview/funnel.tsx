import type { FunnelName, OverviewRecord } from '@sluice/contract/dashboard-overview';
import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { formatCapped } from '../../lib/format.ts';
import { formatShare } from './format.ts';
import classes from './funnel.module.css';
import type { RangeName } from './ranges.ts';

type Totals = OverviewRecord['totals'];

/**
 * Received, what the pipelines made of it, and what arrived. Each number leads to what it counts, within the same time.
 */
export function Funnel({ overview, range }: { overview: OverviewRecord; range: RangeName }) {
  const { totals, more_dead: moreDead } = overview;
  // Nobody knows what a share of them would be where not all of them were counted.
  const ended = moreDead ? 0 : totals.delivered + totals.dead;
  const events = (state?: string) => ({
    to: '/events',
    search: { ...(state ? { state } : {}), within: range },
  });
  const deliveries = { to: '/deliveries', search: { state: 'delivered', within: range } };
  const letters = { to: '/dead-letters', search: { kind: 'delivery', within: range } };
  return (
    <nav className={classes.funnel} aria-label="What became of events">
      <div className={classes.stage}>
        <Step name="received" label="Received" totals={totals} of={0} {...events()} />
      </div>
      <Arrow />
      <div className={classes.stage} data-many>
        <Step
          name="processed"
          label="Processed"
          totals={totals}
          of={totals.received}
          {...events('processed')}
        />
        <Step name="dropped" label="Dropped" totals={totals} of={totals.received} {...events('dropped')} />
        <Step name="failed" label="Failed" totals={totals} of={totals.received} {...events('failed')} />
        <Step name="unrouted" label="Unrouted" totals={totals} of={totals.received} {...events('unrouted')} />
      </div>
      <Arrow />
      <div className={classes.stage}>
        <Step name="delivered" label="Delivered" totals={totals} of={ended} {...deliveries} />
        <Step name="dead" label="Dead letters" totals={totals} of={ended} more={moreDead} {...letters} />
      </div>
    </nav>
  );
}

const Arrow = () => <IconChevronRight className={classes.arrow} size={18} aria-hidden />;

function Step(props: {
  name: FunnelName;
  label: string;
  totals: Totals;
  /** What it is a share of. */
  of: number;
  /** Whether there are more than were counted. */
  more?: boolean;
  to: string;
  search: Record<string, string>;
}) {
  const amount = props.totals[props.name];
  const share = formatShare(amount, props.of);
  return (
    <Link
      to={props.to}
      search={props.search}
      className={classes.step}
      data-name={props.name}
      data-none={amount === 0 || undefined}
    >
      <span className={classes.label}>{props.label}</span>
      <span className={`${classes.amount} numbers`}>
        {formatCapped({ count: amount, more: props.more === true })}
      </span>
      {props.of > 0 && (
        <span className={classes.share}>
          <span className={classes.bar} style={{ width: `${Math.min(100, (amount / props.of) * 100)}%` }} />
        </span>
      )}
      {share && <span className={`${classes.percent} numbers`}>{share}</span>}
    </Link>
  );
}
