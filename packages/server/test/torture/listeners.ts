import { holdConnection } from '../../src/command/listen/connection.ts';
import { forward } from '../../src/command/listen/forward.ts';
import type { Fleet } from './fleet.ts';
import type { Organisation } from './organisation.ts';
import type { Receivers } from './receivers.ts';

/** Developers who listen as `sluice listen` does, and connect again at once: one in each organisation, at some node. */
const PAUSE_MS = 300;

export function startListeners(
  fleet: Pick<Fleet, 'size' | 'url'>,
  receivers: Pick<Receivers, 'url'>,
  organisations: readonly Pick<Organisation, 'name' | 'listenerToken'>[],
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const listening = organisations.map(async ({ name, listenerToken: token }, n) => {
    const to = receivers.url(name, 'listener');
    for (let turn = n; !signal.aborted; turn++) {
      const connection = {
        url: fleet.url(turn % fleet.size),
        forward: to,
        onReady() {},
        deliver: (delivery: Parameters<typeof forward>[0]) => forward(delivery, to),
        // Its node is gone, or goes; then another is asked.
        onError() {},
      };
      await holdConnection({ ...connection, token, signal }).catch(() => {});
      await Bun.sleep(PAUSE_MS);
    }
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(listening);
    },
  };
}
