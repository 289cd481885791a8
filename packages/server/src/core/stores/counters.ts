import type { ChartWindow } from '@sluice/contract/chart-window';
import { days, minutes, seconds } from '../clock.ts';
import type { Tally } from '../event/outcome.ts';
import { idTime } from '../ids.ts';

/** Counters: what is counted of whom, and how it is read. */

/** The organisation itself is the subject with no name. */
export const WHOLE_ORGANISATION = '';

/** The subject of which each type of event is a name, counted by when it was received. */
export const EVENT_TYPES = '#types';
/** So many types of an organisation are counted by name, those that came first: a sender may make up any number. */
export const MOST_COUNTED_TYPES = 100;

/** An arrow of the map is a subject of its own. */
export const arrow = (fromId: string, toId: string): string => `${fromId}>${toId}`;

/** So is a step of one version of a pipeline, by its place. */
export const stepOf = (pipelineId: string, version: number, place: number): string =>
  `${pipelineId}@${version}#${place}`;

/** What is counted of a step beside its classes of latency and its tallies, by a name that pipelines have not. What failed there may yet not. */
export const STEP_DROPPED = 'step_dropped';

/**
 * What comes to its end soon after it was made is counted in memory, and written once a second. After a kill the minutes
 * in which something may have been lost are counted again; so that these are few, whatever takes longer than this is
 * counted in the transaction that records it: deliveries that arrive late, and events that are settled late, or again.
 */
export const LATE_MS = minutes(1);

/** What was counted so long ago and could not be written is counted again instead, where that may have been done already. */
export const UNWRITTEN_MS = seconds(15);

/** By then after a minute began, whoever lives has written what it counted in it: it lasts so long, and all may be late. */
export const WRITTEN_BY_MS = minutes(1) + LATE_MS + UNWRITTEN_MS;

/** The clocks of nodes and of the database are no further apart, and what is committed is counted by then. */
export const CLOCKS_APART_MS = seconds(15);

/**
 * How long after they were noted minutes are counted again. The last of them begins no later than clocks are apart; the
 * rest is for the commit, and for clocks again.
 */
export const RECOUNT_AFTER_MS = CLOCKS_APART_MS + WRITTEN_BY_MS + CLOCKS_APART_MS;

/** So long the minutes of steps are kept: from there on their figures are of whole hours, however long a time they are of. */
export const STEP_MINUTES_MS = days(3);

export const isLate = (id: string, now: number): boolean => now - idTime(id) > LATE_MS;

const EVENT_COUNTS: ReadonlySet<string> = new Set(['received', 'processed', 'dropped', 'failed', 'unrouted']);

/** Whether it can be counted again from what is stored. All else is counted once, and what a kill takes of it is lost. */
export const isRecounted = ({ subject, name }: Pick<Count, 'subject' | 'name'>): boolean =>
  name === 'delivered' ||
  subject === EVENT_TYPES ||
  (subject === WHOLE_ORGANISATION && EVENT_COUNTS.has(name));

export interface Count {
  readonly orgId: string;
  readonly subject: string;
  readonly name: string;
  /** When it happened; storage knows which minute and which hour that is. */
  readonly at: number;
  readonly amount: number;
}

/** Whole minutes, all of it. Whole hours are read faster, also within a long stretch. */
export type CounterWindow = ChartWindow;

export interface CounterSum {
  readonly subject: string;
  readonly name: string;
  /** Which stretch of the window, from 0 on. */
  readonly point: number;
  readonly amount: number;
}

/** How much there is of something, looked at up to a limit only. */
export interface CappedCount {
  readonly count: number;
  /** Whether there is more than that. */
  readonly more: boolean;
}

interface CountsOverTime {
  readonly counts: number[];
  readonly more: boolean;
}

/** What has not come to its end, or came to a bad one. */
interface Backlog {
  /** Events that wait for their pipelines, those that are to be tried again included. */
  readonly accepted: CappedCount;
  readonly pending: CappedCount;
  readonly retrying: CappedCount;
  readonly held: CappedCount;
  readonly deadDeliveries: CappedCount;
  readonly failedEvents: CappedCount;
}

/** Deliveries that have not arrived, by the state that they are in now; what is being sent is waiting. */
interface PresentCounts {
  readonly waiting: CappedCount;
  readonly retrying: CappedCount;
  readonly held: CappedCount;
  readonly dead: CappedCount;
}

/** What has not gone on, by where it is now. Events that a pipeline tries again are not here: see `countRetryingAt`. */
export interface WaitingAt {
  /** Events that came through a webhook source and wait for their pipelines. */
  readonly sources: ReadonlyMap<string, CappedCount>;
  /** Those that were sent with a key, by type: they belong to the sources that match it. */
  readonly types: ReadonlyMap<string, CappedCount>;
  /** Deliveries that are pending, retrying, held or being sent: all that are open. */
  readonly destinations: ReadonlyMap<string, CappedCount>;
}

/** The same of one destination; `open` is all that has not ended there, whenever it was made. */
interface PresentOfDestination extends PresentCounts {
  readonly destinationId: string;
  readonly open: CappedCount;
}

/** What the side bar says beside its pages. */
interface BadgeCounts {
  /** Deliveries that are dead and events that failed, as their list has them. */
  readonly deadLetters: CappedCount;
  /** Those whose circuit is open, without what is paused or held. */
  readonly destinationsDown: number;
  readonly runningJobs: number;
}

/** The same of all organisations together, each figure up to the limit that was asked for. */
export interface Waiting {
  /** Events that wait for their pipelines, those to be tried again or replayed included. */
  readonly events: number;
  readonly deliveries: Readonly<Record<'pending' | 'delivering' | 'retrying', number>>;
  readonly deadDeliveries: number;
  readonly failedEvents: number;
}

/** Counts by the minute and by the hour for charts, and how much is waiting. */
export interface CounterStore {
  /**
   * Adds to what is there what this node has counted. Counts of an organisation that is gone are dropped. Of a node that
   * is dead, or null, some may be there already: their minutes are noted, to be counted again, and what may have been so
   * meanwhile is not added.
   */
  addCounts(counts: readonly Count[], nodeId: string | null): Promise<void>;
  /** The sums that are not zero. */
  readCounters(
    orgId: string,
    subjects: readonly string[],
    names: readonly string[],
    window: CounterWindow,
  ): Promise<CounterSum[]>;
  /** The types of events that are counted by name, in the order of their bytes; no more than `most`. */
  listCountedTypes(orgId: string, most: number): Promise<string[]>;
  /** Removes at most `limit` rows of what began before; answers how many. */
  pruneCounters(orgId: string, before: number, limit: number): Promise<number>;
  /**
   * Removes minutes of steps that began before, at most `limit` rows; their hours stay. Answers where to go on, null at
   * the end.
   */
  pruneStepMinutes(
    orgId: string,
    before: number,
    slice: { readonly after: string; readonly limit: number },
  ): Promise<string | null>;
  /** Looks at no more than about `most` rows of each sort, however much there is. */
  countBacklog(orgId: string, most: number): Promise<Backlog>;
  /** The deliveries that are dead, by when they were made: the latest `most` of the whole window, and whether there are more. */
  countDead(orgId: string, window: CounterWindow, most: number): Promise<CountsOverTime>;
  /** The same of those that are pending, being sent, retrying or held. */
  countOpenOverTime(orgId: string, window: CounterWindow, most: number): Promise<CountsOverTime>;
  /**
   * Deliveries that were made within this time and have not arrived, as the lists of them have them: each state counted
   * no further than `most`.
   */
  countPresent(
    orgId: string,
    made: { readonly from: number; readonly to: number; readonly destination?: string },
    most: number,
  ): Promise<PresentCounts>;
  /** What waits now, part by part, each counted no further than `most`. */
  countWaitingAt(orgId: string, most: number): Promise<WaitingAt>;
  /**
   * Events that pipelines will try again, by pipeline: of the newest `most`, and of these as many as have plans of so many
   * bytes together. Where there are `more`, any pipeline may have more, also one of which none was found.
   */
  countRetryingAt(
    orgId: string,
    bounds: { readonly most: number; readonly bytes: number },
  ): Promise<{ readonly counts: ReadonlyMap<string, number>; readonly more: boolean }>;
  /** The same of each destination, in one look. */
  countPresentOfEach(
    orgId: string,
    made: { readonly from: number; readonly to: number },
    most: number,
  ): Promise<PresentOfDestination[]>;
  /** Looks at no more than about `most` dead letters, however many there are. */
  countBadges(orgId: string, most: number): Promise<BadgeCounts>;
  /** As the backlog, of the whole installation. */
  countWaiting(most: number): Promise<Waiting>;
  /** What a pipeline's model was asked, and what it did not have to be asked. */
  readTallies(orgId: string, pipelineId: string): Promise<Readonly<Record<Tally, number>>>;
}
