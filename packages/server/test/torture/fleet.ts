import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { bundled } from '../support/bundle.ts';
import { NotStarted, type ServerProcess, startProcess } from '../support/process.ts';
import type { RunFiles } from './journal.ts';

/** The nodes, each kept running as a service manager would: whatever ends one, it is started again at its address. */
export interface Fleet {
  readonly size: number;
  url(node: number): string;
  /** To the process as it is now; nothing where there is none. */
  signal(node: number, signal: NodeJS.Signals): boolean;
  /** The next start of this node runs under this command. */
  startNextUnder(node: number, under: readonly string[]): void;
  /** Moves the clock of every node away from the real time. */
  setClock(offsetMs: number): void;
  ready(): Promise<void>;
  /** What all nodes have printed in all their lives. */
  output(): string;
  /** How each life ended. */
  readonly ends: readonly (number | string)[];
  stop(): Promise<void>;
}

export interface FleetOptions {
  readonly nodes: number;
  readonly directory: string;
  readonly settings: Record<string, string>;
}

const NODE = bundled(join(import.meta.dir, 'node.ts'));
const START_AGAIN_MS = 200;

export async function startFleet(options: FleetOptions, files: RunFiles): Promise<Fleet> {
  const clockFile = join(files.folder, 'clock');
  writeFileSync(clockFile, '0');
  const ports = await freePorts(options.nodes);
  const ends: (number | string)[] = [];
  const printed: string[] = [];
  let isStopping = false;

  const nodes = ports.map(port => {
    const state: { process: ServerProcess | null; under: readonly string[] } = { process: null, under: [] };
    const live = async () => {
      while (!isStopping) {
        const { under } = state;
        state.under = [];
        try {
          const started = await startProcess({
            directory: options.directory,
            entry: [process.execPath, NODE, clockFile],
            under,
            settings: { ...options.settings, SLUICE_PORT: String(port) },
          });
          state.process = started;
          if (isStopping) started.kill('SIGTERM');
          ends.push(await started.ended);
          printed.push(started.output());
        } catch (error) {
          // Its storage is away, or full: it says so, and is started again.
          if (!(error instanceof NotStarted)) throw error;
          ends.push(`not started: ${error.end}`);
          printed.push(error.output);
        }
        state.process = null;
        await Bun.sleep(START_AGAIN_MS);
      }
    };
    return { port, state, living: live() };
  });
  const urlOf = (node: number) => `http://127.0.0.1:${ports[node]}`;
  const isReady = (node: number) =>
    fetch(`${urlOf(node)}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    );

  return {
    size: options.nodes,
    url: urlOf,
    ends,
    signal(node, signal) {
      const { process } = nodes[node]?.state ?? {};
      process?.kill(signal);
      return process !== undefined && process !== null;
    },
    startNextUnder(node, under) {
      const state = nodes[node]?.state;
      if (state) state.under = under;
    },
    setClock(offsetMs) {
      writeFileSync(clockFile, String(offsetMs));
      for (const { state } of nodes) state.process?.kill('SIGUSR2');
    },
    async ready() {
      for (let node = 0; node < options.nodes; node++) while (!(await isReady(node))) await Bun.sleep(50);
    },
    output: () => [...printed, ...nodes.map(({ state }) => state.process?.output() ?? '')].join('\n'),
    async stop() {
      isStopping = true;
      for (const { state } of nodes) {
        state.process?.kill('SIGCONT');
        state.process?.kill('SIGTERM');
      }
      await Promise.all(nodes.map(({ living }) => living));
    },
  };
}

/** Held all at once, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      server =>
        new Promise<number>((resolve, reject) => {
          server.on('error', reject).listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
  return ports;
}
