import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Problem } from '../../core/errors.ts';

/**
 * SQLSTATEs of a server that cannot serve now, by their beginning: connections, resources (a full disk, no free
 * connection), waits and statements that were cut short, shutdowns, its disk, a server that is only a replica.
 */
const unavailable = /^(08|53|55P03|57|58|25006|25P03|25P04)/;

/** Two transactions met; each may simply be tried again. Of what is referred to, one may have gone meanwhile. */
const contention = /^(40001|40P01|23503)$/;

/** Whoever looks for a name that is free under one of these, and finds it taken when writing, takes the next. */
const takenMeanwhile: ReadonlySet<string> = new Set(['organisations_by_slug']);

const RETRY_AFTER_S = 2;

/** An error of a connection or a query, as the callers of storage see it. */
export function toStorageError(error: unknown): unknown {
  if (error instanceof Problem) return error;
  // What is no answer of the server is the connection's own: reset, refused, closed, timed out.
  if (!(error instanceof pg.DatabaseError)) return notAvailable();
  if (error.code === '53100') {
    return new Problem('storage_unavailable', {
      message:
        'The disk of the database is full. Nothing from this request was stored; retry once there is room.',
      retryAfter: 5,
    });
  }
  return unavailable.test(error.code ?? '') ? notAvailable() : error;
}

/** Nobody knows what became of it. */
export const notAvailable = (): Problem => new Problem('storage_unavailable', { retryAfter: RETRY_AFTER_S });

/** No answer in time, or one that no primary gives: the server may be cut off, or another one have taken its place. */
export const isDoubtful = (error: unknown): boolean =>
  !(error instanceof pg.DatabaseError) || error.code === '25006';

/** There was no connection to ask anything on, whatever the reason. */
export const notReached = (): Problem =>
  new Problem('storage_unavailable', {
    message: 'The database cannot be reached now. Nothing from this request was stored; retry shortly.',
    retryAfter: RETRY_AFTER_S,
  });

/** What this transaction met was removed while it looked: the next try finds it gone. */
export class RemovedMeanwhile extends Error {}

const MOST_TRIES = 6;

/** Runs a transaction again when it met another one. Only what was rolled back for certain is repeated. */
export async function retrying<T>(transaction: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transaction();
    } catch (error) {
      if (!isContention(error)) throw error;
      if (tries === MOST_TRIES) throw new Problem('storage_unavailable', { retryAfter: 1 });
      await sleep(Math.random() * 10 * 2 ** tries);
    }
  }
}

const isContention = (error: unknown): boolean =>
  error instanceof RemovedMeanwhile ||
  (error instanceof pg.DatabaseError &&
    (contention.test(error.code ?? '') || takenMeanwhile.has(error.constraint ?? '')));

/** One line for the operator, without the connection string. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
}
