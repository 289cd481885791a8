import { z } from 'zod';

/** System events: what the service says of itself, as ordinary events of each organisation's `system` source. */

export const systemEventTypes = [
  'sluice.destination.down',
  'sluice.destination.recovered',
  'sluice.dead_letters.growing',
  'sluice.source.rejecting',
  'sluice.source.quiet',
  'sluice.backlog.growing',
  'sluice.pipeline.failing',
  'sluice.job.finished',
  'sluice.login.suspicious',
  'sluice.disk.low',
  'sluice.node.lost',
] as const;
export type SystemEventType = (typeof systemEventTypes)[number];

/** From how much on something is worth an event. */
export const alertThresholds = {
  /** What is counted is counted over so many minutes. */
  windowMinutes: 5,
  deadLetters: 10,
  rejections: 10,
  failedRuns: 5,
  /** So many wait, and the first of them is so late. */
  waiting: 100,
  lateMinutes: 5,
  failedLogins: 10,
  freeBytes: 1024 ** 3,
  /** For the same subject no second event of a type within so many minutes. */
  quietMinutes: 10,
} as const;

interface SystemEventDescription {
  /** A label, as short as can be. */
  readonly title: string;
  /** When it is raised, in a sentence. */
  readonly when: string;
  /** What `subject` is. */
  readonly subject: string;
  /** What `waiting` counts; null where nothing waits for it. */
  readonly waiting: string | null;
  /** The names under `counts`, each with its meaning. */
  readonly counts: Readonly<Record<string, string>>;
  /** Something is wrong, or well again: chosen where nobody chooses. */
  readonly isTrouble: boolean;
  /** Raised in the first organisation of the installation alone. */
  readonly isForOperator: boolean;
}

const { windowMinutes, deadLetters, rejections, failedRuns, waiting, lateMinutes, failedLogins } =
  alertThresholds;
const ofOrganisation = { isTrouble: true, isForOperator: false } as const;

export const systemEvents: Readonly<Record<SystemEventType, SystemEventDescription>> = {
  'sluice.destination.down': {
    title: 'Destination down',
    when: 'The circuit of a destination has opened: 50 attempts in a row failed, and its deliveries wait.',
    subject: 'the destination',
    waiting: 'deliveries that wait there, up to 10,000',
    counts: {},
    ...ofOrganisation,
  },
  'sluice.destination.recovered': {
    title: 'Destination recovered',
    when: 'A destination that was reported as down accepts deliveries again.',
    subject: 'the destination',
    waiting: 'deliveries that still wait there, up to 10,000',
    counts: {},
    ...ofOrganisation,
  },
  'sluice.dead_letters.growing': {
    title: 'Dead letters growing',
    when: `${deadLetters} or more deliveries and events became dead letters within ${windowMinutes} minutes.`,
    subject: 'the organisation',
    waiting: null,
    counts: {
      deliveries: `deliveries that died within ${windowMinutes} minutes, up to 1,000`,
      events: `events that failed within ${windowMinutes} minutes, up to 1,000`,
    },
    ...ofOrganisation,
  },
  'sluice.source.rejecting': {
    title: 'Source rejecting requests',
    when: `A source rejected ${rejections} or more requests within ${windowMinutes} minutes.`,
    subject: 'the source',
    waiting: null,
    counts: { rejected: `requests rejected within ${windowMinutes} minutes, up to 1,000` },
    ...ofOrganisation,
  },
  'sluice.source.quiet': {
    title: 'Source quiet',
    when: 'A source with “Expected at least every” set has received no event for longer than that.',
    subject: 'the source',
    waiting: null,
    counts: { expect_every_minutes: 'what is set', quiet_minutes: 'whole minutes without an event' },
    ...ofOrganisation,
  },
  'sluice.backlog.growing': {
    title: 'Backlog growing',
    when: `${waiting} or more events or deliveries are waiting, and the oldest is more than ${lateMinutes} minutes overdue. What waits at a destination that is paused or down does not count.`,
    subject: 'the organisation',
    waiting: 'all that is waiting, which is the sum of the two below',
    counts: {
      events: 'events that wait for their pipelines, up to 10,000',
      deliveries: 'deliveries that are overdue or queue behind one, up to 10,000',
    },
    ...ofOrganisation,
  },
  'sluice.pipeline.failing': {
    title: 'Pipeline failing',
    when: `${failedRuns} or more events failed in a pipeline within ${windowMinutes} minutes.`,
    subject: 'the pipeline',
    waiting: null,
    counts: { failed: `events that failed there within ${windowMinutes} minutes, up to 1,000` },
    ...ofOrganisation,
  },
  'sluice.job.finished': {
    title: 'Job finished',
    when: 'A replay, a retry or discard of dead letters, or an export as a job has ended: done, failed or cancelled. An export that a viewer started raises none.',
    subject: 'the job',
    waiting: null,
    counts: { total: 'what it set out to do', done: 'what it did', failed: 'what of that failed' },
    isTrouble: false,
    isForOperator: false,
  },
  'sluice.login.suspicious': {
    title: 'Suspicious login',
    when: `${failedLogins} attempts in a row to log in as a member failed.`,
    subject: 'the member',
    waiting: null,
    counts: { failed: 'attempts in a row that failed' },
    ...ofOrganisation,
  },
  'sluice.disk.low': {
    title: 'Disk space low',
    when: 'Less than 1 GiB is left on the disk of the embedded database. Once it is full, events are refused.',
    subject: 'the installation',
    waiting: null,
    counts: { free_bytes: 'bytes left' },
    isTrouble: true,
    isForOperator: true,
  },
  'sluice.node.lost': {
    title: 'Node lost',
    when: 'A node was not heard from for 15 seconds without having been stopped. Others take over its work.',
    subject: 'the node',
    waiting: null,
    counts: {},
    isTrouble: true,
    isForOperator: true,
  },
};

/** What an alert is about. */
const systemEventSubject = z.object({
  /** What it is. */
  kind: z.enum([
    'destination',
    'source',
    'pipeline',
    'organisation',
    'job',
    'member',
    'installation',
    'node',
  ]),
  id: z.string(),
  name: z.string(),
  /** Which sort of that: `webhook`, `slack`, `replay`, …; null where there are none. */
  subtype: z.string().nullable(),
});
export type SystemEventSubjectKind = z.infer<typeof systemEventSubject>['kind'];

/** The payload of every system event. Fields may be added; those that are here keep their names and meanings. */
export const systemEventPayload = z.strictObject({
  /** A line, such as the subject of a mail. */
  title: z.string(),
  /** All of it in sentences, for people. */
  message: z.string(),
  subject: systemEventSubject,
  /** RFC 3339: since when it is so, or when it happened. */
  since: z.string(),
  /** Of a recovery: RFC 3339, when it was over. */
  until: z.string().optional(),
  /** Why, in a sentence: what went wrong last, secrets struck out, or else what it is raised for; null where nothing is known. */
  reason: z.string().nullable(),
  /** How much waits because of it; null where nothing does. */
  waiting: z.number().nullable(),
  /** Further numbers, by name. */
  counts: z.record(z.string(), z.number()),
  /** Of a job: how it ended. */
  state: z.enum(['done', 'failed', 'cancelled']).optional(),
  /** Of a login: where the last attempt came from. */
  address: z.string().optional(),
  /** The page that shows it, where SLUICE_BASE_URL is set. */
  url: z.string().optional(),
});
export type SystemEventPayload = z.infer<typeof systemEventPayload>;

/** The condition by which a pipeline of alerts lets these types pass. */
export const alertCondition = (types: readonly SystemEventType[]): string =>
  `event.type in [${types.map(type => `"${type}"`).join(', ')}]`;

/** The types that such a condition names; null where it is another one. */
export function typesOfCondition(condition: string): SystemEventType[] | null {
  const types = systemEventTypes.filter(type => condition.includes(`"${type}"`));
  return types.length > 0 && alertCondition(types) === condition ? types : null;
}

const CHAT_TEXT = '{{event.icon}} {{payload.message}}\n{{payload.url}}';

/** How an alert reads where a destination is made for it: what its configuration has beside the address. */
export const alertTemplates: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  slack: { text: CHAT_TEXT },
  discord: { text: CHAT_TEXT },
  telegram: { text: CHAT_TEXT },
  email: {
    subject: 'Sluice {{event.icon}} {{payload.title}}',
    body: '{{payload.message}}\n\n{{payload.url}}',
  },
  webhook: {},
};
