import { alertThresholds, type SystemEventType } from '@sluice/contract/system-events';
import { minutes } from '../core/clock.ts';
import type { StoredAlert, Trouble } from '../core/stores/alerts.ts';

/** What is to be told of what is wrong, given what was told before: the rules of alerts, without doing anything. */

/** What happens once, and is over with that. All else lasts until it is not seen any more. */
const moments: ReadonlySet<SystemEventType> = new Set([
  'sluice.job.finished',
  'sluice.login.suspicious',
  'sluice.node.lost',
]);
export const isMoment = (type: SystemEventType): boolean => moments.has(type);

/** For the same subject no second event of a type earlier than this after the first. */
export const QUIET_MS = minutes(alertThresholds.quietMinutes);

interface Decision {
  /** Wrong, and not told yet. */
  readonly raise: readonly Trouble[];
  /** Told, and not wrong any more. */
  readonly recover: readonly StoredAlert[];
  /** Nobody needs to know of it any longer. */
  readonly forget: readonly StoredAlert[];
}

/**
 * | it was           | and is still so              | and is over                |
 * |------------------|------------------------------|----------------------------|
 * | never seen       | raise                        | –                          |
 * | begun, not told  | raise                        | forget; a moment: raise    |
 * | told             | –                            | recover                    |
 * | told, then over  | raise, once the quiet is over| forget, likewise           |
 */
export function decideAlerts(seen: readonly Trouble[], kept: readonly StoredAlert[], now: number): Decision {
  const before = new Map(kept.map(alert => [keyOf(alert.orgId, alert.type, alert.subjectId), alert]));
  const raise: Trouble[] = [];
  for (const trouble of seen) {
    const key = keyOf(trouble.orgId, trouble.type, trouble.subject.id);
    const alert = before.get(key);
    before.delete(key);
    if (alert === undefined || alert.raisedAt === null || mayRepeat(alert, now)) raise.push(trouble);
  }
  const recover: StoredAlert[] = [];
  const forget: StoredAlert[] = [];
  for (const alert of before.values()) {
    const { raisedAt, recoveredAt, details } = alert;
    if (raisedAt === null && details !== null) raise.push(toTrouble(alert, details));
    else if (raisedAt === null || mayRepeat(alert, now)) forget.push(alert);
    else if (recoveredAt === null) recover.push(alert);
  }
  return { raise, recover, forget };
}

const keyOf = (orgId: string, type: string, subjectId: string): string => `${orgId} ${type} ${subjectId}`;

/** A clock that went back must not keep anything quiet for as long as it went back. */
const mayRepeat = ({ raisedAt, recoveredAt }: StoredAlert, now: number): boolean =>
  raisedAt !== null && recoveredAt !== null && Math.abs(now - raisedAt) >= QUIET_MS;

const toTrouble = (
  { orgId, type, since }: StoredAlert,
  details: NonNullable<StoredAlert['details']>,
): Trouble => ({ orgId, type, since, lastError: null, ...details });
