import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../../core/clock.ts';
import { dedupePort } from './dedupe.ts';
import { entitiesPort } from './entities.ts';
import { labelsPort } from './labels.ts';
import { modelPort } from './model.ts';
import { defineLocalPort } from './port.ts';
import { createSharedCalls, type SharedCalls } from './shared-calls.ts';

/** Every port there is. A new one is a file, and a line here; a step names those that it needs. */
export const portKinds = {
  clock: defineLocalPort<Clock>(() => systemClock),
  /** A digest under a key of the installation, for this purpose only. */
  digest: defineLocalPort<(purpose: string, text: string) => string>(({ vault }) => vault.digest),
  wait: defineLocalPort<(ms: number) => Promise<void>>(({ announceWait }) => ms => {
    announceWait();
    return sleep(ms);
  }),
  sharedCalls: defineLocalPort<SharedCalls>(
    ({ announceWait }) => createSharedCalls(announceWait),
    () => ({ join: async (_key, call) => ({ answer: await call(), isShared: false }) }),
  ),
  dedupe: dedupePort,
  labels: labelsPort,
  model: modelPort,
  entities: entitiesPort,
};

export type PortName = keyof typeof portKinds;

/** All of them as steps see them. */
export type StepPorts = { readonly [N in PortName]: ReturnType<(typeof portKinds)[N]['connect']> };

export const portNames = Object.keys(portKinds) as readonly PortName[];

/** Those that a step said it needs, and nothing else. */
export const pickPorts = <N extends PortName>(all: StepPorts, names: readonly N[]): Pick<StepPorts, N> =>
  Object.fromEntries(names.map(name => [name, all[name]])) as Pick<StepPorts, N>;
