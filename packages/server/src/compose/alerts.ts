import { createRaise } from '../alerts/raise.ts';
import { createTurn, type Turn } from '../alerts/turn.ts';
import { createWatch } from '../alerts/watch.ts';
import { createDashboardLinks } from '../core/dashboard-links.ts';
import { newId } from '../core/ids.ts';
import { repeat } from '../core/work/repeat.ts';
import type { Foundation } from './foundation.ts';
import type { Part } from './part.ts';
import type { Parts } from './parts.ts';
import type { StoragePart } from './storage.ts';

/** Where storage has no other node. */
const alwaysOurs: Turn = { take: async () => true, giveUp: async () => {} };

/** The look for what is wrong, which raises system events. */
export function composeAlerts(
  { settings, clock, alertsEveryMs, isStopping, warn }: Foundation,
  { engine }: StoragePart,
  { endpoints }: Pick<Parts, 'endpoints'>,
): Part {
  const { alerts, configuration, deliveryQueue, upkeep, capabilities } = engine;
  const { isShared } = capabilities;
  const turn = isShared ? createTurn(upkeep, clock, newId('node', clock.now())) : alwaysOurs;
  const raise = createRaise({
    alerts,
    accept: endpoints.appender.accept,
    sourceSeen: endpoints.activity.sourceSeen,
    links: createDashboardLinks(settings.SLUICE_BASE_URL, engine.accounts),
  });
  const watch = createWatch({
    alerts,
    configuration,
    deliveryQueue,
    raise,
    // A database server's disk is not ours to see.
    freeBytes: async () => (isShared ? null : (await engine.measure()).freeBytes),
    turn,
    clock,
    isStopping,
  });
  let stop = async () => {};
  return {
    start() {
      stop = repeat(alertsEveryMs, watch.look, warn('alerts'));
    },
    async stop() {
      await stop();
      await turn.giveUp();
    },
  };
}
