import { LRUCache } from 'lru-cache';
import { minutes } from '../../core/clock.ts';
import { messageOf, Problem } from '../../core/errors.ts';
import { tooManyFetches } from './fetch-text.ts';

/**
 * What one source verifies with and has to fetch first, by name: certificates, keys. Anybody who knows the address can
 * name some, so fetching is kept within bounds; and what is being fetched, or could not be, puts none out that is in use.
 */
export type Fetched<T> = (name: string, now: number) => Promise<T>;

const MOST_KEPT = 8;
const MOST_FETCHES = 2;
const MOST_FAILURES = 256;
const FAILURE_COUNTS_MS = minutes(1);

export function createFetched<T extends object>(options: {
  /** `certificate` */
  readonly what: string;
  fetch(name: string): Promise<T>;
  /** Fetched again after that; without it, never. */
  readonly keptMs?: number;
}): Fetched<T> {
  const { what, fetch, keptMs = Number.POSITIVE_INFINITY } = options;
  const kept = new LRUCache<string, { readonly value: T; readonly until: number }>({ max: MOST_KEPT });
  const fetching = new Map<string, Promise<T>>();
  const failures = new LRUCache<string, { readonly error: unknown; readonly until: number }>({
    max: MOST_FAILURES,
  });

  async function start(name: string, now: number): Promise<T> {
    try {
      const value = await fetch(name);
      kept.set(name, { value, until: now + keptMs });
      return value;
    } catch (error) {
      // One that nobody had time to ask for has not failed.
      if (!(error instanceof Problem)) failures.set(name, { error, until: now + FAILURE_COUNTS_MS });
      throw error;
    } finally {
      fetching.delete(name);
    }
  }

  async function find(name: string, now: number): Promise<T> {
    const known = kept.get(name);
    if (known !== undefined && now < known.until) return known.value;
    const under = fetching.get(name);
    if (under !== undefined) return under;
    const failure = failures.get(name);
    if (failure !== undefined && now < failure.until) throw failure.error;
    if (fetching.size >= MOST_FETCHES) throw tooManyFetches();
    const fetched = start(name, now);
    fetching.set(name, fetched);
    return fetched;
  }

  return async (name, now) => {
    try {
      return await find(name, now);
    } catch (error) {
      if (error instanceof Problem) throw error;
      // Providers give up what is refused: what is away for a moment must not lose a message.
      throw new Problem('storage_unavailable', {
        message: 'This request cannot be verified now. Send it again.',
        reason: `The ${what} could not be fetched: ${messageOf(error)}`,
        retryAfter: 60,
      });
    }
  };
}
