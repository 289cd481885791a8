import classes from './state-badge.module.css';

const colours: Readonly<Record<string, string>> = {
  accepted: 'blue',
  processed: 'green',
  routed: 'green',
  delivered: 'green',
  done: 'green',
  active: 'green',
  enabled: 'green',
  recovered: 'green',
  changed: 'blue',
  kept: 'gray',
  pending: 'blue',
  delivering: 'blue',
  running: 'blue',
  retrying: 'yellow',
  failing: 'yellow',
  held: 'yellow',
  retry: 'yellow',
  invited: 'yellow',
  paused: 'yellow',
  dropped: 'gray',
  unrouted: 'gray',
  cancelled: 'gray',
  disabled: 'gray',
  'no match': 'gray',
  failed: 'red',
  'not delivered': 'red',
  'partly delivered': 'red',
  dead: 'red',
  down: 'red',
};

/** What a step did, in the words of people. */
const words: Readonly<Record<string, string>> = { kept: 'passed', changed: 'modified' };

/** A state of an event, a run, a step, a delivery or a job: always the same word in the same colour. */
export function StateBadge({ state }: { state: string }) {
  // Plain, since lists draw hundreds of them a second while they are scrolled.
  return (
    <span className={classes.badge} data-colour={colours[state] ?? 'gray'}>
      {words[state] ?? state}
    </span>
  );
}
