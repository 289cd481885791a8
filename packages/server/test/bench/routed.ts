import { type Meter, meterOnSqlite } from './meter.ts';
import { type Route, routeTo } from './route.ts';
import {
  type Measured,
  type MeasuredSluice,
  type SluiceOptions,
  startReceiver,
  startSluice,
} from './servers.ts';
import type { Contender } from './sustained.ts';

/** A service and a receiver of its own that it sends everything to. */
export interface Routed {
  readonly sluice: MeasuredSluice;
  readonly receiver: Measured;
  stop(): Promise<void>;
}

export async function startRouted(
  route: Route,
  options: Pick<SluiceOptions, 'databaseUrl' | 'cores' | 'settings'> = {},
): Promise<Routed> {
  const receiver = await startReceiver();
  const sluice = await startSluice(options);
  await routeTo(sluice, receiver, route);
  return {
    sluice,
    receiver,
    async stop() {
      await sluice.stop();
      await receiver.stop();
    },
  };
}

export const contenderOf = (
  { sluice, receiver }: Routed,
  meter: Meter = meterOnSqlite(sluice),
): Contender => ({ url: sluice.url, apiKey: sluice.apiKey, receiver, meter });
