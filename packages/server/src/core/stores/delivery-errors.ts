/** What storage knows of deliveries that do not arrive: why, where, and whether it is over. */
export interface DeliveryErrorStore {
  /**
   * Deliveries that were made within this time and are dead or retrying, by where they go, and by the code and the
   * status that the last attempt failed with: the latest `most` of each state. What is held is not among them.
   */
  listErrorGroups(
    orgId: string,
    made: { readonly from: number; readonly to: number },
    most: number,
  ): Promise<ErrorGroups>;
  /** What came of the last attempt of each of these deliveries: what was answered, cut, or else what went wrong. */
  findLastMessages(
    orgId: string,
    deliveryIds: readonly string[],
  ): Promise<ReadonlyMap<string, string | null>>;
  /** When these destinations last took something, and when they last did not, as far as their latest deliveries tell. */
  findLastEnds(orgId: string, destinationIds: readonly string[]): Promise<LastEnds[]>;
}

interface ErrorGroups {
  readonly groups: readonly StoredErrorGroup[];
  /** Whether there are more in this state than were looked at. */
  readonly more: Readonly<Record<'dead' | 'retrying', boolean>>;
}

export interface StoredErrorGroup {
  readonly state: 'dead' | 'retrying';
  readonly destination: { readonly id: string; readonly name: string; readonly kind: string };
  readonly code: string | null;
  /** Of the last response, where there was one. */
  readonly status: number | null;
  readonly count: number;
  /** The delivery of them that was made last. */
  readonly latest: string;
}

interface LastEnds {
  readonly destinationId: string;
  readonly deliveredAt: number | null;
  readonly failedAt: number | null;
}
