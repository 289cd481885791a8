/** Time as the service sees it, so that tests can move it. Integer epoch milliseconds. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

export const toRfc3339 = (epochMs: number): string => new Date(epochMs).toISOString();

export const seconds = (n: number): number => n * 1_000;
export const minutes = (n: number): number => seconds(n * 60);
export const hours = (n: number): number => minutes(n * 60);
export const days = (n: number): number => hours(n * 24);
