import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type Browser, dataOf, logIn, PASSWORD } from '../support/dashboard.ts';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { newFolder } from '../support/folder.ts';
import { makeInbox, makePipeline, readEvent } from '../support/pipelines.ts';
import { until } from '../support/until.ts';

const root = join(import.meta.dir, '../../../..');

/** The executable of `npm run build:binary`, as built for this run or by this test, where there is nothing of the source. */
describe('the self-contained executable', () => {
  const folder = newFolder();
  const built = process.env.SLUICE_TEST_EXECUTABLE;
  const file = built ?? join(folder, 'sluice');
  let child: Bun.Subprocess<'ignore', 'pipe', 'inherit'>;
  let url: string;
  let owner: Browser;
  const settings = {
    SLUICE_PORT: '0',
    SLUICE_HOST: '127.0.0.1',
    SLUICE_LOG_LEVEL: 'silent',
    SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8',
    SLUICE_ADMIN_EMAIL: 'owner@example.com',
    SLUICE_ADMIN_PASSWORD: PASSWORD,
  };

  beforeAll(async () => {
    if (built === undefined) {
      const script = join(root, 'scripts/binary.mjs');
      const build = Bun.spawn(['node', script, file], { stdout: 'pipe', stderr: 'pipe' });
      expect(await build.exited, await new Response(build.stderr).text()).toBe(0);
    }
    child = Bun.spawn([file, 'serve', '--json'], {
      cwd: folder,
      env: settings,
      stdin: 'ignore',
      stdout: 'pipe',
    });
    let said = '';
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    while (!said.includes('\n')) said += (await reader.read()).value ?? '\n';
    ({ url } = JSON.parse(said) as { url: string });
    owner = await logIn(url, 'owner@example.com');
  });
  afterAll(async () => {
    child.kill('SIGKILL');
    await child.exited;
  });

  test('serves the dashboard with its files, compressed as they were built, the API reference and the guide', async () => {
    const page = await fetch(`${url}/events`);
    expect(page.status).toBe(200);
    const script = /\/assets\/[\w.-]+\.js/.exec(await page.text())?.[0] ?? '';
    const asset = await fetch(`${url}${script}`, { headers: { 'accept-encoding': 'br' } });
    expect([asset.status, asset.headers.get('content-encoding')]).toEqual([200, 'br']);
    expect((await asset.text()).length).toBeGreaterThan(10_000);
    expect((await fetch(`${url}/assets/none.js`)).status).toBe(404);
    expect((await fetch(`${url}/docs`)).status).toBe(200);
    const guide = await (await fetch(`${url}/docs/guide/dashboard`)).text();
    const shown = [...guide.matchAll(/(?:src|href)="(\/docs\/guide\/[^"#]+)/g)].map(([, path = '']) => path);
    expect(shown.length).toBeGreaterThan(50);
    for (const path of new Set(shown))
      expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
    expect((await fetch(`${url}/docs/guide/pictures/login-dark.png`)).status).toBe(404);
  });

  test('has every thread inside: bodies, pipelines and the databases of destinations', async () => {
    const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'test' }));
    const source = dataOf<{ id: string }>(
      await owner.post('/sources', { kind: 'sdk', name: 'All', match: '*' }),
    );
    const step = { kind: 'transform', config: { set: { done: true } } };
    await makePipeline(owner, {
      sources: [source.id],
      steps: [step],
      destinations: [{ id: await makeInbox(owner) }],
    });
    const large = { events: [{ type: 'large', payload: { text: 'x'.repeat(200_000) } }, { type: 'small' }] };
    for (const id of acceptedIds(await ingestWith(url, secret)(large))) {
      const states = async () => (await readEvent(owner, id)).deliveries.map(({ state }) => state);
      await until(
        async () => (await states()).join() === 'delivered',
        `${id} should come through the pipeline and be delivered.`,
      );
    }
    const columns = await owner.post('/destinations/columns', {
      kind: 'postgres',
      config: { connection_string: 'postgres://sluice:x@127.0.0.1:1/none', table: 'events' },
    });
    expect(columns.status).toBe(400);
    expect(JSON.stringify(columns.body)).toContain('ECONNREFUSED');
  });

  test('is the whole command: it sends, backs up beside the service, and stops when it is told to', async () => {
    const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'send' }));
    const run = async (...args: string[]) => {
      const env = { SLUICE_URL: url, SLUICE_API_KEY: secret };
      const command = Bun.spawn([file, ...args], { cwd: folder, env, stdout: 'pipe', stderr: 'inherit' });
      return { out: await new Response(command.stdout).text(), code: await command.exited };
    };
    expect(await run('send', '--type', 'from.binary', '--json')).toMatchObject({ code: 0 });
    const copy = await run('backup', 'copy.db', '--json');
    expect(copy.code).toBe(0);
    expect(JSON.parse(copy.out)).toMatchObject({ events: expect.any(Number) });
    await until(async () => (await fetch(`${url}/readyz`)).ok, 'It should serve on.');
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  });
});
