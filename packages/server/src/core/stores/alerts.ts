import type { SystemEventSubjectKind, SystemEventType } from '@sluice/contract/system-events';

/** What is wrong, in whichever organisation, and what was told of it: the state of system events. */
export interface AlertStore {
  /**
   * Everything but failures that is wrong by these thresholds, over all organisations. It costs by what is wrong and not by how much
   * there is: each look goes along an index that holds little else, and ends at a limit.
   */
  readTrouble(now: number, thresholds: TroubleThresholds): Promise<Trouble[]>;
  /**
   * The same of failures: of so many organisations behind that one, by their ids, and where to go on; null where there
   * are no more. Whoever asks goes on to the end: one that is left out would be taken for one that is well again.
   */
  readFailures(
    thresholds: TroubleThresholds,
    behind: string,
    organisations: number,
  ): Promise<{ readonly found: Trouble[]; readonly last: string | null }>;
  /** What has begun and is not over, and what was over before it is forgotten. */
  listAlerts(): Promise<StoredAlert[]>;
  /**
   * Begins what is to be told, and answers it as it stands: where somebody else has begun it before, theirs. Null where
   * it is told already, or an earlier one was told after `notAfter`.
   */
  beginAlert(alert: NewAlert, notAfter: number): Promise<StoredAlert | null>;
  /** The event of an alert that began then is stored. */
  markRaised(alert: AlertKey, at: number): Promise<void>;
  /** It is over, and stays known until it is forgotten. */
  markRecovered(alert: AlertKey, at: number): Promise<void>;
  forgetAlert(alert: AlertKey): Promise<void>;
  /** An event of this type was raised. */
  noteRaised(orgId: string, type: SystemEventType, at: number): Promise<void>;
  /** An event has told of the end of this job. */
  markAnnounced(orgId: string, jobId: string): Promise<void>;
  /** When an event of each type was last raised, and whether this organisation is the installation's first. */
  readRaised(orgId: string): Promise<{
    readonly lastAt: Readonly<Partial<Record<SystemEventType, number>>>;
    readonly isFirst: boolean;
  }>;
  /** The first organisation of the installation; null while there is none. */
  findFirstOrganisation(): Promise<string | null>;
}

/** Something that is wrong, or has happened, and whose it is. */
export interface Trouble {
  readonly orgId: string;
  readonly type: SystemEventType;
  readonly subject: TroubleSubject;
  readonly since: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly lastError: string | null;
  /** How a job ended. */
  readonly state?: 'done' | 'failed' | 'cancelled';
  /** Where a login came from. */
  readonly address?: string;
  /** What waits late, by destination; the rest of it waits for its pipelines. */
  readonly waitingAt?: readonly { readonly destinationId: string; readonly count: number }[];
}

/** What it is about, as it is stored with what is still to be told: `type` is what it is, `kind` which sort of that. */
interface TroubleSubject {
  readonly type: SystemEventSubjectKind;
  readonly id: string;
  readonly name: string;
  /** The same as `type` where there are no sorts. */
  readonly kind: string;
}

export interface TroubleThresholds {
  /** What happened from then on is counted. */
  readonly countedFrom: number;
  readonly deadLetters: number;
  readonly rejections: number;
  readonly failedRuns: number;
  /** What should have gone on before then is late. */
  readonly lateBefore: number;
  readonly waiting: number;
}

/** An alert by what it is about and when that began: a later one of the same subject is another. */
export interface AlertKey {
  readonly orgId: string;
  readonly type: SystemEventType;
  readonly subjectId: string;
  readonly since: number;
}

/** What is to be told of something that happened, and cannot be read anywhere later. */
export type AlertDetails = Pick<Trouble, 'subject' | 'counts' | 'address'>;

export interface NewAlert extends AlertKey {
  readonly details: AlertDetails | null;
}

export interface StoredAlert extends NewAlert {
  /** Null: its event is still to be raised. */
  readonly raisedAt: number | null;
  /** Null: it is still so. */
  readonly recoveredAt: number | null;
}
