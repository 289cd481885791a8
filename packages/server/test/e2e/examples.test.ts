import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, dataOf, listOf, logIn, setUp } from '../support/dashboard.ts';
import { newFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { blocksIn, readText, workspace } from '../support/markdown-blocks.ts';
import { untilQuiet } from '../support/recipe.ts';
import { installSdk } from '../support/sdk.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/**
 * The examples, started and used by the commands of their pages in a copy of the clone. There the SDK is built and
 * the dashboard too, so `npm run` only takes down what it was asked; ports and secrets are those of this test.
 */
let folder: string;
let programs: string;
let values: Readonly<Record<string, string>> = {};
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = await installSdk();
  programs = newFolder();
  cpSync(join(workspace, 'examples'), join(folder, 'examples'), { recursive: true });
  symlinkSync(join(workspace, 'packages'), join(folder, 'packages'));
  mkdirSync(join(folder, 'node_modules/.bin'));
  symlinkSync(process.execPath, join(folder, 'node_modules/.bin/bun'));
  const standIns = { npm: `echo "$*" >> ${folder}/npm-calls`, npx: 'PATH=node_modules/.bin:$PATH exec "$@"' };
  for (const [name, script] of Object.entries(standIns)) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(programs, name), 0o755);
  }
});
afterAll(() => {
  for (const { pid, exitCode } of running) if (pid !== undefined && exitCode === null) stop(pid);
});

/** All that its command started. */
function stop(pid: number): void {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly said: () => string;
}

/** A block that stays until it is stopped, or one that ends. */
function paste(page: string, stays: boolean): Started {
  const commands = blocksIn(page)
    .filter(({ language, about }) => language === 'sh' && (about === 'stays') === stays)
    .map(({ text }) => text)
    .join('\n');
  // In one go: what was filled in is not looked at again.
  const blanks = Object.keys(values).sort((a, b) => b.length - a.length);
  const filledIn = commands.replaceAll(new RegExp(blanks.join('|'), 'g'), blank => values[blank] ?? blank);
  const child = spawn('bash', ['-eu', '-o', 'pipefail', '-c', filledIn], {
    cwd: folder,
    detached: true,
    env: { PATH: `${programs}:${process.env.PATH}`, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (said += chunk));
  return { child, said: () => said };
}

async function start(page: string, isReady: RegExp): Promise<Started> {
  const started = paste(page, true);
  await until(
    () => isReady.test(started.said()) || started.child.exitCode !== null,
    `${page} does not start.`,
  );
  expect(started.said()).toMatch(isReady);
  return started;
}

async function use(page: string): Promise<string> {
  const { child, said } = paste(page, false);
  if (child.exitCode === null) await once(child, 'close');
  expect(child.exitCode, `${page}: ${said()}`).toBe(0);
  return said();
}

describe('the shop and the receiver', () => {
  let service: TestService;
  let browser: Browser;
  beforeAll(async () => {
    const allowed = { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' };
    service = await startTestService({ settings: allowed });
    browser = await setUp(service);
    const { secret: apiKey } = dataOf<{ secret: string }>(await browser.post('/keys', { name: 'shop' }));
    const [shop, receiver] = [await freePort(), await freePort()];
    const made = dataOf<{ id: string; secret: string }>(
      await browser.post('/destinations', {
        kind: 'webhook',
        name: 'Receiver',
        config: { url: `http://127.0.0.1:${receiver}`, auth: { mode: 'hmac' } },
      }),
    );
    const source = dataOf<{ id: string }>(
      await browser.post('/sources', { kind: 'sdk', name: 'Shop', match: 'order.*' }),
    );
    const pipeline = { name: 'All', sources: [source.id], steps: [], destinations: [{ id: made.id }] };
    dataOf(await browser.post('/pipelines', pipeline));
    values = {
      'http://localhost:8080': service.url,
      'the-secret-of-your-key': apiKey,
      'the-secret-of-your-destination': made.secret,
      '3000': String(shop),
      '3001': String(receiver),
    };
  });
  afterAll(() => service.stop());

  test('bring an order from the one to the other, once, and refuse what is made up', async () => {
    const receiver = await start('examples/receiver/README.md', /Listening at/);
    const shop = await start('examples/shop/README.md', /The shop is open/);
    for (let press = 0; press < 2; press++) expect(await use('examples/shop/README.md')).toContain('1001');
    await until(() => receiver.said().includes('order.placed'), 'The order does not arrive.');
    await untilQuiet(browser);
    expect(receiver.said().match(/^order\.placed .*$/gm)).toEqual([
      'order.placed {"order":1001,"total":42.5}',
    ]);
    const { data } = listOf<{ type: string }>(await browser.get('/events'));
    expect(data.map(({ type }) => type)).toEqual(['order.placed']);
    expect(await use('examples/receiver/README.md')).toContain('401');

    for (const { child } of [shop, receiver]) {
      stop(child.pid ?? 0);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
  });
});

describe('the local stack', () => {
  test('is one command: a service that one can log in to, and a receiver, until it is stopped', async () => {
    const [port, receiver] = [await freePort(), await freePort()];
    values = { '8080': String(port), '3001': String(receiver) };
    const page = 'examples/local-stack/README.md';
    const { child, said } = await start(page, /has the secret/);
    expect(await use(page)).toContain('ready');
    const password = /Log in at \S+ as you@example\.com with (\S+)/.exec(said())?.[1] ?? '';
    await logIn(`http://127.0.0.1:${port}`, 'you@example.com', password);
    expect((await fetch(`http://127.0.0.1:${receiver}`, { method: 'POST', body: '{}' })).status).toBe(401);
    stop(child.pid ?? 0);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const isGone = (at: number) =>
      fetch(`http://127.0.0.1:${at}/readyz`).then(
        () => false,
        () => true,
      );
    for (const at of [port, receiver]) await until(() => isGone(at), `Port ${at} is still served.`);
  });
});

test('every example has a page, which the overview names, and asks npm for what there is', () => {
  const examples = readdirSync(join(workspace, 'examples'), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name);
  expect(examples.length).toBeGreaterThanOrEqual(3);
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: object };
  for (const name of examples) {
    expect(readText('examples/README.md')).toContain(`](${name}/README.md)`);
    const asked = [...readText(`examples/${name}/README.md`).matchAll(/npm run (\S+)/g)];
    for (const [, script = ''] of asked) expect(scripts).toHaveProperty([script]);
  }
});
