import type { FaultLine, Logs } from '../lines.ts';
import { type Stretch, touches } from './stretches.ts';

/** While these go on, some node or the database cannot hear of anything. */
const deafening = new Set([
  'freeze',
  'freeze-long',
  'postgres-kill',
  'postgres-silent',
  'postgres-alone',
  'postgres-failover',
  'full-disk',
  'slow-disk',
]);

/** A fault for the system calls of one life holds for as long as that; it makes nobody deaf. */
export const deafFaults = ({ faults }: Pick<Logs, 'faults'>): FaultLine[] =>
  faults.filter(({ kind, trace }) => deafening.has(kind) && trace === undefined);

/** Those, and the lives whose disk was under a fault. */
export const disturbances = (logs: Pick<Logs, 'faults' | 'lives'>): Stretch[] => [
  ...deafFaults(logs),
  ...logs.lives.flatMap(({ trace, startedAt, at }) =>
    trace !== null && logs.faults.some(fault => fault.met && fault.trace === trace)
      ? [{ at: startedAt, until: at }]
      : [],
  ),
];

/** Claims that nobody holds any more are looked for so often; what goes on for longer may break the next one too. */
const LOOKED_FOR_EVERY_MS = 5_000;

/**
 * How often at most somebody was torn away from what was under way meanwhile: each life of a node that ended, however
 * that came; and nodes that live on lose hold of it while they are deaf, and take each other for dead as clocks jump.
 */
export const mostBreaks = (logs: Pick<Logs, 'faults' | 'lives'>, from: number, to: number): number =>
  logs.lives.filter(({ at }) => at >= from && at <= to).length +
  [...disturbances(logs), ...logs.faults.filter(({ kind }) => kind === 'clock')]
    .filter(stretch => touches(stretch, from, to))
    .reduce((sum, { at, until }) => sum + 1 + Math.floor((until - at) / LOOKED_FOR_EVERY_MS), 0);
