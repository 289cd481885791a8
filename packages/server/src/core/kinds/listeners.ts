import type { ListenResult } from '@sluice/contract/listen';

/** The kind of destination that `sluice listen` connects to. */
export const LISTENER_KIND = 'listener';

/** Where listeners connect. Both throw a 401 where the token opens nothing. */
export interface ListenerAccess {
  /** Opens the one connection of that destination, in place of one that is open. */
  connect(token: string, forward: string): Promise<ReadableStream<Uint8Array>>;
  /** False where nobody waits for that result any more. Throws where the connection is not held here. */
  answer(token: string, result: ListenResult): boolean;
}
