/** An event that somebody has saved to try pipelines and destinations with. */
export interface StoredTestEvent {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  /** JSON text, as it would be sent to `/v1/ingest`. */
  readonly event: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Saved test events. */
export interface TestEventStore {
  /** `too_many`: the organisation has as many as it may have. */
  createTestEvent(event: StoredTestEvent, most: number): Promise<'created' | 'too_many'>;
  /** By name. */
  listTestEvents(orgId: string): Promise<StoredTestEvent[]>;
  findTestEvent(orgId: string, id: string): Promise<StoredTestEvent | null>;
  updateTestEvent(
    orgId: string,
    id: string,
    change: Partial<Pick<StoredTestEvent, 'name' | 'event'>>,
    at: number,
  ): Promise<boolean>;
  deleteTestEvent(orgId: string, id: string): Promise<boolean>;
}
