import { randomUUID } from 'node:crypto';
import { NoLongerWanted, type OutgoingFailure } from '../../../core/http/outgoing.ts';
import { within } from '../../../core/work/within.ts';
import type { Work, WorkName } from '../../databases/protocol.ts';
import type { DestinationDeps } from '../../destination.ts';
import { timeoutFailure } from '../../guarded-client/failure.ts';
import type { DatabaseAddress } from './connection-string.ts';

/** Somebody's database. The name is looked up, and its addresses are checked, for every use. */
interface Database {
  /** Rejects only with `NoLongerWanted`. */
  use<Name extends WorkName>(
    name: Name,
    ask: Work[Name]['ask'],
    timeoutMs: number,
    isStillWanted?: () => Promise<boolean>,
  ): Promise<Outcome<Work[Name]['answer']>>;
  close(): void;
}

type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly failure: OutgoingFailure };

export function openDatabase(
  address: DatabaseAddress,
  ca: string | undefined,
  { client, databases, egressAddresses }: Pick<DestinationDeps, 'client' | 'databases' | 'egressAddresses'>,
): Database {
  const { host, tls, ...rest } = address;
  const key = randomUUID();
  return {
    async use(name, ask, timeoutMs, isStillWanted) {
      const began = performance.now();
      const found = client.locate(host);
      const location = found instanceof Promise ? await within(found, timeoutMs) : found;
      if (location === null) return { kind: 'failed', failure: withEgress(timeoutFailure, egressAddresses) };
      if (location.kind === 'failed') return location;
      const { addresses, serverName, isListed } = location;
      const located = { key, addresses, serverName, ca, tls: tls ?? !isListed, ...rest };
      const remainingMs = Math.max(1, timeoutMs - (performance.now() - began));
      if (found instanceof Promise && isStillWanted !== undefined && !(await isStillWanted()))
        throw new NoLongerWanted();
      const used = await databases.use(name, ask, located, remainingMs, isStillWanted);
      if (used.kind === 'unwanted') throw new NoLongerWanted();
      if (used.kind === 'done' || used.wasReached) return used;
      return { kind: 'failed', failure: withEgress(used.failure, egressAddresses) };
    },
    close: () => databases.letGo(key),
  };
}

function withEgress(failure: OutgoingFailure, egressAddresses: readonly string[]): OutgoingFailure {
  if (failure.code !== 'timeout' && failure.code !== 'connection_refused') return failure;
  const from = egressAddresses.length > 0 ? ` Our connections come from ${egressAddresses.join(', ')}.` : '';
  return { ...failure, message: `${failure.message} The database may not allow our addresses.${from}` };
}
