import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { type Clock, minutes } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';

/**
 * Slows guessing down. Every attempt counts as a failure from the moment it begins, so that a thousand at once
 * do not all slip past the check; one that succeeds is taken back.
 */
export interface Throttle {
  /** Throws a 429 when any of these names has used up its failures. Answers how to take the attempt back. */
  attempt(...names: string[]): () => void;
}

const MOST_FAILURES = 20;
const WINDOW_MS = minutes(15);
/** Beyond this the name that was tried longest ago is dropped: memory is bounded whatever is sent. */
const MOST_NAMES = 20_000;

export function createThrottle(clock: Clock): Throttle {
  const failures = new LRUCache<string, number[]>({ max: MOST_NAMES });

  /** Times ahead of the clock are dropped too: it was set back, and nobody should be locked out until then. */
  const recent = (name: string, now: number) =>
    (failures.get(name) ?? []).filter(at => at <= now && now - at < WINDOW_MS);

  function requireRoom(name: string, now: number): void {
    const times = recent(name, now);
    const [oldest] = times;
    if (oldest === undefined || times.length < MOST_FAILURES) return;
    const waitMs = oldest + WINDOW_MS - now;
    throw new Problem('rate_limited', {
      message: `Too many failed attempts; try again in ${tellMinutes(waitMs)}.`,
      retryAfter: Math.max(1, Math.ceil(waitMs / 1_000)),
    });
  }

  const count = (name: string, now: number) => failures.set(name, [...recent(name, now), now]);

  function takeBack(name: string, at: number): void {
    const times = failures.peek(name) ?? [];
    const index = times.lastIndexOf(at);
    if (index >= 0) times.splice(index, 1);
    if (times.length === 0) failures.delete(name);
  }

  return {
    attempt(...names) {
      const now = clock.now();
      for (const name of names) requireRoom(name, now);
      for (const name of names) count(name, now);
      return () => {
        for (const name of names) takeBack(name, now);
      };
    },
  };
}

function tellMinutes(ms: number): string {
  const whole = Math.max(1, Math.ceil(ms / minutes(1)));
  return whole === 1 ? 'a minute' : `${whole} minutes`;
}

/** One household has 2^64 addresses of IPv6: they count as one. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const plain = ipaddr.process(address);
  if (!(plain instanceof ipaddr.IPv6)) return plain.toString();
  const network = plain.parts.slice(0, 4).map(part => part.toString(16));
  return `${network.join(':')}::/64`;
}
