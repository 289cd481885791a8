import type { DryRun, Port, ThreadSide } from './port.ts';
import { type PortName, portKinds, portNames, type StepPorts } from './registry.ts';

/** The steps' side of all ports. Each entry of the record has a face and calls of its own, which go together. */
type AnyPort = Port<unknown, Record<never, never>>;
type AnySide = ThreadSide<Record<never, never>>;

export const connectPorts = (sideOf: (port: PortName) => AnySide): StepPorts =>
  eachPort((name, port) => port.connect(sideOf(name)));

/** The ports of a run that leaves nothing behind. Dedupe may look: keys count only once their run is settled. */
export const dryRunPorts = (connected: StepPorts, dryRun: Pick<DryRun, 'mayAskModel'>): StepPorts =>
  eachPort((name, port) => port.forDryRun(connected[name], dryRun));

const eachPort = (faceOf: (name: PortName, port: AnyPort) => unknown): StepPorts =>
  Object.fromEntries(
    portNames.map(name => [name, faceOf(name, portKinds[name] as AnyPort)]),
  ) as unknown as StepPorts;
