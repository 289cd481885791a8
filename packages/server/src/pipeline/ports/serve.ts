import type { PortDependencies, ServedPort } from './port.ts';
import { type PortName, portKinds, portNames } from './registry.ts';

/** The main thread's side of all ports: answers what the threads ask for. */
interface ServedPorts {
  answer(call: PortCall): Promise<unknown>;
  /** Writes what was only counted. */
  flush(): Promise<void>;
  /** Leaves to others what was begun. */
  release(): Promise<void>;
}

/** A call of a port as it crosses the threads. */
export interface PortCall {
  readonly port: PortName;
  readonly name: string;
  readonly args: readonly unknown[];
}

type AnyCalls = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

export function servePorts(dependencies: PortDependencies): ServedPorts {
  const served = new Map(
    portNames.map(name => [name, portKinds[name].serve(dependencies) as ServedPort<unknown>]),
  );
  return {
    async answer({ port, name, args }) {
      const call = (served.get(port)?.calls as AnyCalls | undefined)?.[name];
      if (call === undefined) throw new Error(`The port ${port} has no call ${name}.`);
      return call(...args);
    },
    async flush() {
      for (const port of served.values()) await port.flush?.();
    },
    async release() {
      for (const port of served.values()) await port.release?.();
    },
  };
}
