/**
 * Room that one stage keeps in memory for what another is about to store. What is stored into it is claimed from its
 * first moment, and is begun without having been claimed or read. Whoever has one says what became of it, once.
 */
export interface Reservation<Item, Result> {
  /** What to store: the same, with those marked that there is room for. */
  readonly items: readonly Item[];
  /** It is on disk. */
  stored(results: readonly Result[]): void;
  failed(): void;
}

export async function storeReserved<Item, Result>(
  reservation: Reservation<Item, Result> | null,
  items: readonly Item[],
  store: (items: readonly Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  let results: Result[];
  try {
    results = await store(reservation?.items ?? items);
  } catch (error) {
    reservation?.failed();
    throw error;
  }
  reservation?.stored(results);
  return results;
}
