import { join } from 'node:path';
import type { HostilePlaces } from './serve.ts';

/** The process of hostile receivers, and where each of them is. */
export interface HostileReceivers extends HostilePlaces {
  /** Those that have a connection open, by name. */
  open(): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startHostileReceivers(): Promise<HostileReceivers> {
  const server = Bun.spawn([process.execPath, join(import.meta.dir, 'serve.ts')], { stdout: 'pipe' });
  const places = JSON.parse(await firstLine(server.stdout)) as HostilePlaces;
  return {
    ...places,
    open: async () => (await (await fetch(places.control)).json()) as string[],
    async stop() {
      server.kill();
      await server.exited;
    },
  };
}

async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  let line = '';
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    line += decoder.decode(chunk, { stream: true });
    if (line.includes('\n')) break;
  }
  return line;
}
