/** What a destination has of all there is: how many may be under way at once, wait in memory, and how much more may be claimed. */
export interface Share {
  readonly atOnce: number;
  readonly inMemory: number;
  readonly bytes: number;
}
