import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const script = `
  import { liftRequestLimit } from ${JSON.stringify(join(import.meta.dir, 'request-limit.ts'))};
  liftRequestLimit();
  const hung = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Promise(() => {}) });
  const well = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ok') });
  const session = new Bun.FetchSession({ proxy: false });
  for (let i = 0; i < 300; i++) session.fetch('http://127.0.0.1:' + hung.port).catch(() => {});
  while (hung.pendingRequests < 250) await Bun.sleep(1);
  const answer = session.fetch('http://127.0.0.1:' + well.port).then(response => response.text());
  const said = await Promise.race([answer, Bun.sleep(3000).then(() => 'starved')]);
  console.log(JSON.stringify({ said, pid: process.pid, words: process.argv.slice(2) }));
  process.exit(0);
`;

test('receivers that hang leave the others their requests, in the process that was started', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  const file = join(folder, 'many.ts');
  writeFileSync(file, script);
  const { BUN_CONFIG_MAX_HTTP_REQUESTS: _, ...environment } = process.env;
  const child = Bun.spawn([process.execPath, file, 'serve', '--x'], { env: environment, stdout: 'pipe' });
  const output: unknown = JSON.parse(await new Response(child.stdout).text());
  expect(output).toEqual({ said: 'ok', pid: child.pid, words: ['serve', '--x'] });
  rmSync(folder, { recursive: true });
});
