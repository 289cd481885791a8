import {
  alertThresholds,
  type SystemEventPayload,
  type SystemEventType,
  systemEvents,
} from '@sluice/contract/system-events';
import { toRfc3339 } from '../core/clock.ts';
import type { Trouble } from '../core/stores/alerts.ts';

/** The payload of a system event: stable fields for programs, and the same in a sentence for people. */

export interface Told extends Trouble {
  /** Of a recovery, when it was over. */
  readonly until?: number;
}

const MOST_ERROR = 500;

/** `url`: of the page that shows it. */
export function systemPayload(told: Told, url: string | null): SystemEventPayload {
  const { type, subject, since, until, state, address } = told;
  const { title } = systemEvents[type];
  return {
    title: isNamed(subject.type) ? `${title}: ${subject.name}` : title,
    message: messageOf(told),
    subject: subjectOf(subject),
    since: toRfc3339(since),
    ...(until === undefined ? {} : { until: toRfc3339(until) }),
    reason: reasonOf(told),
    waiting: waitingOf(told),
    counts: furtherCounts(told),
    ...(state === undefined ? {} : { state }),
    ...(address === undefined ? {} : { address }),
    ...(url === null ? {} : { url }),
  };
}

export const iconOf = (type: SystemEventType): string =>
  type === 'sluice.destination.recovered' ? '🟢' : systemEvents[type].isTrouble ? '🔴' : 'ℹ️';

const subjectOf = ({ type, id, name, kind }: Trouble['subject']): SystemEventPayload['subject'] => ({
  kind: type,
  id,
  name,
  subtype: kind === type ? null : kind,
});

/** An organisation or the installation goes without saying. */
const isNamed = (type: Trouble['subject']['type']): boolean =>
  type !== 'organisation' && type !== 'installation';

/** The page that shows it, in its organisation. */
export function pageAbout({ type, subject }: Trouble): string {
  switch (type) {
    case 'sluice.destination.down':
    case 'sluice.destination.recovered':
      return `/destinations/${subject.id}`;
    case 'sluice.source.rejecting':
    case 'sluice.source.quiet':
      return `/sources/${subject.id}`;
    case 'sluice.pipeline.failing':
      return `/pipelines/${subject.id}`;
    case 'sluice.job.finished':
      return `/jobs/${subject.id}`;
    case 'sluice.dead_letters.growing':
      return '/dead-letters';
    case 'sluice.backlog.growing':
      return '/';
    case 'sluice.login.suspicious':
      return '/settings/audit';
    case 'sluice.disk.low':
    case 'sluice.node.lost':
      return '/settings/health';
  }
}

function waitingOf({ type, counts }: Told): number | null {
  if (type === 'sluice.backlog.growing') return (counts.events ?? 0) + (counts.deliveries ?? 0);
  return counts.waiting ?? null;
}

const furtherCounts = ({ counts: { waiting, ...others } }: Told): SystemEventPayload['counts'] => others;

/** What went wrong last, else what it is raised for; the rest of what is known is in the message. */
function reasonOf({ type, counts, lastError }: Told): string | null {
  if (lastError !== null) return cut(lastError);
  switch (type) {
    case 'sluice.destination.recovered':
      return 'It accepted a delivery or a test.';
    case 'sluice.source.quiet':
      return `At least one event every ${numberOf(counts, 'expect_every_minutes')} minutes is expected.`;
    case 'sluice.backlog.growing':
      return `The oldest is more than ${alertThresholds.lateMinutes} minutes overdue.`;
    case 'sluice.login.suspicious':
      return `${numberOf(counts, 'failed')} attempts in a row failed.`;
    case 'sluice.disk.low':
      return 'Less than 1 GiB is left.';
    case 'sluice.node.lost':
      return 'It was not heard from for 15 seconds.';
    case 'sluice.destination.down':
    case 'sluice.dead_letters.growing':
    case 'sluice.source.rejecting':
    case 'sluice.pipeline.failing':
    case 'sluice.job.finished':
      return null;
  }
}

function messageOf(told: Told): string {
  const { lastError } = told;
  const last = lastError === null ? '' : ` Last error: ${cut(lastError)}`;
  return `${sentenceOf(told)}${last}`;
}

function sentenceOf({ type, subject, since, until, counts, state, address }: Told): string {
  const name = `“${subject.name}”`;
  const count = (key: string): string => numberOf(counts, key);
  const from = readable(since);
  switch (type) {
    case 'sluice.destination.down':
      return `Destination ${name} has been down since ${from}. Deliveries waiting: ${count('waiting')}.`;
    case 'sluice.destination.recovered':
      return `Destination ${name} accepts deliveries again. It was down from ${from} to ${readable(until ?? since)}.`;
    case 'sluice.dead_letters.growing':
      return `New dead letters in ${name} since ${from}: ${count('deliveries')} deliveries and ${count('events')} events.`;
    case 'sluice.source.rejecting':
      return `Source ${name} has rejected ${count('rejected')} requests since ${from}.`;
    case 'sluice.source.quiet':
      return `Source ${name} has received nothing since ${from}; at least one event every ${count('expect_every_minutes')} minutes is expected.`;
    case 'sluice.backlog.growing':
      return `The backlog of ${name} is growing: ${count('events')} events and ${count('deliveries')} deliveries wait, the first since ${from}.`;
    case 'sluice.pipeline.failing':
      return `${count('failed')} events have failed in pipeline ${name} since ${from}.`;
    case 'sluice.job.finished': {
      // How much an export holds is known at its end alone.
      const done = (counts.total ?? 0) < (counts.done ?? 0) ? 'done' : `of ${count('total')}`;
      return `Job ${subject.id} (${subject.kind}) is ${state}: ${count('done')} ${done}, ${count('failed')} failed.`;
    }
    case 'sluice.login.suspicious':
      return `${count('failed')} attempts in a row to log in as ${subject.name} failed${address === undefined ? '' : `, the last from ${address}`}.`;
    case 'sluice.disk.low':
      return `Only ${Math.floor((counts.free_bytes ?? 0) / 1024 ** 2).toLocaleString('en')} MiB are left on the disk. Once it is full, events are refused.`;
    case 'sluice.node.lost':
      return `Node ${subject.name} (${subject.kind}) has not been heard from since ${from}. Others take over its work.`;
  }
}

const numberOf = (counts: Trouble['counts'], name: string): string =>
  (counts[name] ?? 0).toLocaleString('en');

/** `2026-01-31 12:00:00 UTC`. */
const readable = (at: number): string => `${toRfc3339(at).slice(0, 19).replace('T', ' ')} UTC`;

const cut = (text: string): string =>
  text.length <= MOST_ERROR ? text : `${text.slice(0, MOST_ERROR - 1).toWellFormed()}…`;
