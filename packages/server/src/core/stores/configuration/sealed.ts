/** Stored records with secrets sealed inside, and the store's way to replace those without changing anything else. */

export type SealedSort = 'source' | 'destination' | 'pipeline' | 'second_factor';

export interface SealedRecord {
  readonly sort: SealedSort;
  /** Empty of a second factor, which belongs to a person. */
  readonly orgId: string;
  readonly id: string;
  /** Of a pipeline, each of whose versions is a record; 0 of anything else. */
  readonly version: number;
  /** Of a destination; empty for anything else. */
  readonly kind: string;
  /**
   * The texts that are sealed, or that have sealed ones inside: `token`, `secret` and `previous_secret` of a source,
   * the `config` of a destination, the `definition` of a pipeline, the `secret` of a second factor.
   */
  readonly texts: Readonly<Record<string, string>>;
}

export interface SealedStore {
  /** Those after this one, of all organisations, in an order that does not change. */
  listSealed(sort: SealedSort, after: SealedRecord | null, limit: number): Promise<SealedRecord[]>;
  /**
   * Puts these texts in the place of those that the record was read with, for each record whose texts are still the
   * same; answers of each whether it was. They must mean the same: nobody is told of a change, and no record counts as
   * changed.
   */
  replaceSealed(
    replacements: readonly { readonly record: SealedRecord; readonly texts: SealedRecord['texts'] }[],
  ): Promise<boolean[]>;
}
