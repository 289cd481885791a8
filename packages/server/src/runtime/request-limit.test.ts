import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const script = `
  import { liftRequestLimit } from ${JSON.stringify(join(import.meta.dir, 'request-limit.ts'))};
  liftRequestLimit();
  const hanging = Promise.withResolvers();
  let count = 0;
  const hang = () => {
    if (++count === 300) hanging.resolve();
    return new Promise(() => {});
  };
  const hung = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: hang });
  const well = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ok') });
  const session = new Bun.FetchSession({ proxy: false });
  for (let i = 0; i < 300; i++) session.fetch('http://127.0.0.1:' + hung.port).catch(() => {});
  // With the limit in force not all of them would ever leave, and nobody be asked after them.
  await hanging.promise;
  const said = await (await session.fetch('http://127.0.0.1:' + well.port)).text();
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
