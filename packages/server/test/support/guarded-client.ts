import { createGuardedClient, type GuardedClient } from '../../src/delivery/guarded-client/client.ts';
import type { Lookup } from '../../src/delivery/guarded-client/resolve.ts';
import { openFetchSession } from '../../src/runtime/fetch-session.ts';

/** The guarded client as it is in service, but for where names lead, whom it trusts and what it may reach. */
export function guardedClient(
  options: {
    readonly allow?: readonly string[];
    readonly allowHttp?: boolean;
    readonly lookup?: Lookup;
    readonly ca?: string;
    readonly now?: () => number;
  } = {},
): GuardedClient {
  return createGuardedClient({
    allowAddresses: options.allow ?? ['127.0.0.0/8'],
    allowHttp: options.allowHttp ?? true,
    clock: { now: options.now ?? Date.now },
    lookup: options.lookup ?? (() => Promise.resolve(['127.0.0.1'])),
    openSession: session => openFetchSession({ ...session, ...(options.ca ? { ca: options.ca } : {}) }),
  });
}
