import type { AnswerLine, FaultLine, LifeLine } from '../lines.ts';
import type { Evidence } from './evidence.ts';
import { overlap, type Stretch, touches } from './stretches.ts';

/** When a node was up, and what befell it meanwhile. */

const ofStorage = new Set([
  'postgres-kill',
  'postgres-silent',
  'postgres-alone',
  'postgres-failover',
  'full-disk',
]);

/** Faults of what all nodes store in; those of the disk of one node are met by a life of it. */
export const storageFaults = ({ logs }: Pick<Evidence, 'logs'>): FaultLine[] =>
  logs.faults.filter(({ kind, trace }) => ofStorage.has(kind) && trace === undefined);

/** The fault of a disk that this life ran into. */
export const metBy = ({ trace }: LifeLine, { logs }: Pick<Evidence, 'logs'>): FaultLine | undefined =>
  trace === null ? undefined : logs.faults.find(fault => fault.met && fault.trace === trace);

/** From each SIGSTOP to the next SIGCONT, or to its end. */
const frozenIn = ({ signals, at: end }: LifeLine): Stretch[] =>
  signals.flatMap(({ signal, at }, n) =>
    signal === 'SIGSTOP'
      ? [{ at, until: signals.slice(n).find(({ signal }) => signal === 'SIGCONT')?.at ?? end }]
      : [],
  );

export const frozenMs = (life: LifeLine, from: number, to: number): number =>
  frozenIn(life).reduce((sum, stretch) => sum + overlap(stretch, from, to), 0);

const ends = new Set(['SIGTERM', 'SIGKILL']);

/** Whether one life of its node was there, awake and with a sound storage for as long as somebody waited for an answer. */
export function couldAnswer({ node, sentAt, at }: AnswerLine, evidence: Evidence): boolean {
  if (storageFaults(evidence).some(fault => touches(fault, sentAt, at))) return false;
  return evidence.logs.lives.some(life => {
    if (life.node !== node || life.readyAt === null || life.readyAt > sentAt) return false;
    const endsAt = life.signals.find(({ signal }) => ends.has(signal))?.at ?? life.at;
    if (endsAt < at || metBy(life, evidence) !== undefined) return false;
    return !frozenIn(life).some(stretch => touches(stretch, sentAt, at));
  });
}
