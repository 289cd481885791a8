import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { formatWithZone } from '../lib/time-display.ts';

const units: readonly [unit: string, ms: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** `3m ago`, `in 2h` */
export function formatRelative(at: number, now: number): string {
  const ms = at - now;
  if (Math.abs(ms) <= 1_000) return 'now';
  const [unit, size] = units.find(([, size]) => Math.abs(ms) >= size) ?? ['s', 1_000];
  const amount = `${Math.trunc(Math.abs(ms) / size)}${unit}`;
  return ms < 0 ? `${amount} ago` : `in ${amount}`;
}

/** When something is to happen. Its time may pass while it waits for its turn or is under way: it is due `now` then. */
export const formatDue = (at: number, now: number): string => formatRelative(Math.max(at, now), now);

/** One clock for all moments of a page; it stands still while there are none. */
const watchers = new Set<() => void>();
/** Whole seconds, so that it says the same for as long as nobody could tell the difference. */
const wholeSeconds = () => Math.floor(Date.now() / 1_000) * 1_000;
let now = wholeSeconds();
let timer: ReturnType<typeof setInterval> | undefined;

function watchClock(watcher: () => void): () => void {
  watchers.add(watcher);
  timer ??= setInterval(tick, 1_000);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = wholeSeconds();
  for (const watcher of watchers) watcher();
}

function readClock(): number {
  // Nobody has watched for a while: it has to be set first.
  if (timer === undefined) now = wholeSeconds();
  return now;
}

export const useNow = (): number => useSyncExternalStore(watchClock, readClock);

/** A moment as people say it, with the exact time on hover. */
export function RelativeTime({ at }: { at: string | null }) {
  return at === null ? <span>never</span> : <Moment at={at} format={formatRelative} />;
}

/** The moment that something is to happen, in the same way. */
export function DueTime({ at }: { at: string }) {
  return <Moment at={at} format={formatDue} />;
}

function Moment({ at, format }: { at: string; format: typeof formatRelative }) {
  const now = useNow();
  const ms = Date.parse(at);
  return (
    <Tooltip label={formatWithZone(ms)}>
      <time dateTime={at} className="numbers">
        {format(ms, now)}
      </time>
    </Tooltip>
  );
}
