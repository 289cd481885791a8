import { newInstallation } from '../faults/prepare.ts';
import { type Front, startFront } from './front.ts';
import { idsByType } from './load.ts';
import { startProcess } from './process.ts';
import { runtimes } from './sdk.ts';
import { seedOrganisation } from './service.ts';
import { until } from './until.ts';

/** What a program that sends through the SDK says of its events, and what the server has of them. */
export interface Reckoning {
  readonly taken: number;
  readonly lost: number;
  readonly doubled: number;
  /** Attempts that failed, which shows that the outages were felt. */
  readonly failures: number;
}

interface Said {
  readonly taken: number;
  readonly left: number;
  readonly dropped: readonly unknown[];
  readonly failures: number;
}

/**
 * A program sends without pause while its server is killed again and again. Each time the server has stored something
 * whose answer nobody got, and meanwhile the address fails, hangs and is away.
 */
export async function sendThroughKills(
  folder: string,
  runtime: keyof typeof runtimes,
  kills: number,
): Promise<Reckoning> {
  const { directory, open, remove } = newInstallation(undefined);
  const before = await open();
  const { orgId, apiKey } = await seedOrganisation(before);
  await before.close();
  const front = await startFront();
  const program = Bun.spawn([runtimes[runtime], `${folder}/sender.mjs`, front.url, apiKey, '10', '2000'], {
    cwd: folder,
    stdin: 'pipe',
    stdout: 'pipe',
  });

  for (let n = 0; n < kills; n++) {
    const server = await startProcess({ directory });
    front.become({ kind: 'forward', port: server.port });
    // Ever another number, so that kills meet different moments.
    await requests(front, 'forward', 3 + (n % 7));
    front.become({ kind: 'swallow', port: server.port });
    await requests(front, 'swallow', 1 + (n % 2));
    server.kill('SIGKILL');
    await server.ended;
    for (const kind of ['fail', 'hang', 'away'] as const) {
      front.become({ kind });
      await requests(front, kind, 1);
    }
  }

  const last = await startProcess({ directory });
  front.become({ kind: 'forward', port: last.port });
  program.stdin.end();
  const said: Said = JSON.parse(await new Response(program.stdout).text());
  front.close();
  last.kill('SIGKILL');
  await last.ended;

  const after = await open();
  const stored = await idsByType(after, orgId);
  await after.close();
  remove();
  if (said.left > 0 || said.dropped.length > 0) throw new Error(`Not all was sent: ${JSON.stringify(said)}`);
  const copies = Array.from({ length: said.taken }, (_, n) => stored.get(`sent.${n}`)?.length ?? 0);
  return {
    taken: said.taken,
    lost: copies.filter(count => count === 0).length,
    doubled: copies.filter(count => count > 1).length,
    failures: said.failures,
  };
}

async function requests(front: Front, kind: keyof Front['seen'], more: number): Promise<void> {
  const wanted = front.seen[kind] + more;
  await until(() => front.seen[kind] >= wanted, `The sender sent nothing that could ${kind}.`);
}
