import type { FaultLine, Logs } from '../lines.ts';
import { touches } from './stretches.ts';

/** While these go on, some node or the database cannot hear of anything. */
export const deafening: ReadonlySet<string> = new Set([
  'freeze',
  'freeze-long',
  'postgres-kill',
  'postgres-silent',
  'postgres-alone',
  'postgres-failover',
  'full-disk',
  'slow-disk',
]);

/** Claims that nobody holds any more are looked for so often; what goes on for longer may break the next one too. */
const LOOKED_FOR_EVERY_MS = 5_000;

/**
 * How often at most somebody was torn away from what was under way meanwhile: each life of a node that ended, however
 * that came; and nodes that live on lose hold of it while they are deaf, and take each other for dead as clocks jump.
 */
export const mostBreaks = (logs: Pick<Logs, 'faults' | 'lives'>, from: number, to: number): number =>
  logs.lives.filter(({ at }) => at >= from && at <= to).length +
  logs.faults
    .filter(({ kind }) => deafening.has(kind) || kind === 'clock')
    .map(fault => lastingOf(fault, logs))
    .filter(fault => touches(fault, from, to))
    .reduce((sum, { at, until }) => sum + 1 + Math.floor((until - at) / LOOKED_FOR_EVERY_MS), 0);

/** A fault for the system calls of one life is there for as long as that. */
function lastingOf({ at, until, trace }: FaultLine, { lives }: Pick<Logs, 'lives'>) {
  const life = trace === undefined ? undefined : lives.find(life => life.trace === trace);
  return life === undefined ? { at, until } : { at: life.startedAt, until: life.at };
}
