import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { createClient, type Dropped, SluiceError } from '../../../sdk/src/index.ts';
import { newFolder } from '../support/folder.ts';
import { idsByType } from '../support/load.ts';
import { bundleForBrowser, installSdk, runtimes } from '../support/sdk.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let seed: Seed;
let folder: string;
beforeAll(async () => {
  [service, folder] = await Promise.all([startTestService(), installSdk()]);
  seed = await seedOrganisation(service.engine);
});
afterAll(() => service.stop());

const copiesOf = async (type: string) => (await idsByType(service.engine, seed.orgId)).get(type)?.length ?? 0;

/** Runs a program of `packages/sdk/test/programs`; answers its exit code, or the signal that ended it. */
async function run(runtime: keyof typeof runtimes, program: string, ...args: string[]) {
  const child = spawn(runtimes[runtime], [program, ...args], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit');
  return code ?? signal;
}

for (const runtime of Object.keys(runtimes) as (keyof typeof runtimes)[]) {
  describe(`on ${runtime}, what a program tracks is stored when it`, () => {
    const endings = {
      'closes its client': 0,
      'has nothing more to do': 0,
      'is told to end': 'SIGTERM',
      'ends by itself when it is told to': 7,
    };
    for (const [ending, expected] of Object.entries(endings)) {
      test(ending, async () => {
        const type = `${runtime}.${ending}`;
        expect(await run(runtime, 'one.mjs', ending, service.url, seed.apiKey, type)).toBe(expected);
        expect(await copiesOf(type)).toBe(1);
      });
    }

    test('is a CommonJS module', async () => {
      expect(await run(runtime, 'one.cjs', '', service.url, seed.apiKey, `${runtime}.cjs`)).toBe(0);
      expect(await copiesOf(`${runtime}.cjs`)).toBe(1);
    });

    test('is killed, has a spool and is started again', async () => {
      const spool = join(newFolder(), 'spool');
      const type = `${runtime}.spooled`;
      const more = [service.url, seed.apiKey] as const;
      expect(await run(runtime, 'one.mjs', 'is killed', ...more, type, spool)).toBe('SIGKILL');
      expect(await copiesOf(type)).toBe(0);
      expect(await run(runtime, 'one.mjs', 'closes its client', ...more, `${type}.after`, spool)).toBe(0);
      expect(await copiesOf(type)).toBe(1);
      expect(await copiesOf(`${type}.after`)).toBe(1);
    });
  });
}

describe('the published package', () => {
  const compiled = async (...args: string[]) => {
    const compiler = Bun.spawn(
      [
        join(import.meta.dir, '../../../../node_modules/.bin/tsc'),
        ...['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--types', ''],
        ...args,
      ],
      { cwd: folder, stdout: 'pipe' },
    );
    return { said: await new Response(compiler.stdout).text(), code: await compiler.exited };
  };

  test('has its types for ES modules, for CommonJS and for bundlers, without those of Node', async () => {
    const use = `import { createClient } from '@sluice/sdk';
import { diskSpool } from '@sluice/sdk/spool';
import { honoHandler } from '@sluice/sdk/webhooks';
const client = createClient<{ 'order.paid': { order: number } }>({ url: '', key: '', spool: diskSpool('x') });
client.track('order.paid', { order: 1 });
// @ts-expect-error: a wrong field
client.track('order.paid', { order: '1' });
export const handler = honoHandler({ secret: '' }, event => event.payload);
`;
    await Promise.all(['use.mts', 'use.cts'].map(name => Bun.write(join(folder, name), use)));
    const fine = { said: '', code: 0 };
    expect(await compiled('--module', 'node16', 'use.mts', 'use.cts')).toEqual(fine);
    expect(await compiled('--module', 'esnext', '--moduleResolution', 'bundler', 'use.mts')).toEqual(fine);
  });

  test('names no file that it does not hold', async () => {
    const installed = join(folder, 'node_modules/@sluice/sdk');
    const held = new Set(readdirSync(installed, { recursive: true, encoding: 'utf8' }));
    const named = readFileSync(join(installed, 'package.json'), 'utf8').matchAll(/"(\.\/dist\/[^"]+)"/g);
    const missing = [...named].filter(([, path = '']) => !held.has(normalize(path)));
    const loose = [...held].filter(
      file => file.endsWith('.ts') && / from '\.[^']*\.ts'/.test(readFileSync(join(installed, file), 'utf8')),
    );
    expect({ missing, loose }).toEqual({ missing: [], loose: [] });
  });

  test('depends on nothing, and is less than 6 KB for a browser', async () => {
    const installed = join(folder, 'node_modules/@sluice/sdk');
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    );
    expect({ dependencies, peerDependencies }).toEqual({
      dependencies: undefined,
      peerDependencies: undefined,
    });
    const { script, compressedBytes } = await bundleForBrowser(folder);
    expect(script).not.toContain('node:');
    expect(compressedBytes).toBeLessThan(6_000);
  });
});

describe('a client of the real server', () => {
  const client = () => createClient({ url: service.url, key: seed.apiKey, batchMs: 5, exitTimeoutMs: 0 });

  test('has the events that the server refuses dropped one by one, and the others stored', async () => {
    const dropped: Dropped[] = [];
    const strict = createClient({
      url: service.url,
      key: seed.apiKey,
      exitTimeoutMs: 0,
      onDrop: one => dropped.push(one),
    });
    strict.track('good.1', {});
    strict.track('bad.icon', {}, { icon: 'x'.repeat(65) });
    strict.track('good.2', {});
    strict.track('bad.text', { text: '\0' });
    strict.track('bad.size', { text: 'x'.repeat(1024 * 1024) });
    strict.track('good.3', {});
    expect(await strict.close({ timeout: 60_000 })).toEqual({ left: 0 });
    expect(dropped.map(({ type, reason }) => `${type} ${reason}`).sort()).toEqual([
      'bad.icon refused',
      'bad.size refused',
      'bad.text refused',
    ]);
    for (const type of ['good.1', 'good.2', 'good.3']) expect(await copiesOf(type)).toBe(1);
    for (const type of ['bad.icon', 'bad.text', 'bad.size']) expect(await copiesOf(type)).toBe(0);
  });

  const ref = (external_id: string, kind = 'customer') => ({ kind, external_id });

  test('writes, reads and deletes entities', async () => {
    const { entities } = client();
    const odd = ref('a/b c?#é');
    expect(await entities.get(odd)).toBeNull();
    const made = await entities.put(odd, { plan: 'pro', seats: 5 });
    expect(made).toMatchObject({ ...odd, version: 1, traits: { plan: 'pro', seats: 5 } });
    const patched = await entities.patch(odd, { seats: null }, { ifVersion: 1 });
    expect(patched.traits).toEqual({ plan: 'pro' });
    expect(await entities.get(odd)).toEqual(patched);
    const conflict = entities.patch(odd, {}, { ifVersion: 1 });
    await expect(conflict).rejects.toMatchObject({
      name: 'SluiceError',
      status: 409,
      code: 'version_conflict',
    });
    expect(await entities.delete(odd)).toBe(true);
    expect(await entities.delete(odd)).toBe(false);
    await expect(entities.get(ref('..'))).rejects.toBeInstanceOf(SluiceError);
  });

  test('goes through all entities, page by page', async () => {
    const { entities } = client();
    const all = Array.from({ length: 250 }, (_, n) => ({
      ...ref(`n${n}`, 'number'),
      traits: { parity: n % 2 === 0 ? 'even' : 'odd' },
    }));
    expect(await entities.upsert(all)).toHaveLength(250);
    const even = await Array.fromAsync(entities.list({ kind: 'number', traits: { parity: 'even' } }));
    expect(new Set(even.map(({ external_id }) => external_id)).size).toBe(125);
    expect(
      await Array.fromAsync(entities.list({ kind: 'number', external_id: undefined, traits: undefined })),
    ).toHaveLength(250);
    for await (const first of entities.list({ kind: 'number' })) {
      expect(first.kind).toBe('number');
      break;
    }
    expect(await Array.fromAsync(entities.list({ updated_after: new Date(Date.now() + 60_000) }))).toEqual(
      [],
    );
  });

  test('links entities into one identity', async () => {
    const { entities } = client();
    const [person, device] = [ref('p1'), ref('d1', 'device')];
    await entities.put(person, { plan: 'pro' });
    await entities.put(device, { os: 'ios' });
    expect(await entities.link(person, 'same_as', device)).toMatchObject({ relation: 'same_as' });
    expect((await entities.identity(device))?.traits).toEqual({ os: 'ios', plan: 'pro' });
    expect(await Array.fromAsync(entities.links(person))).toHaveLength(1);
    expect(await entities.unlink(person, 'same_as', device)).toBe(true);
    expect(await entities.unlink(person, 'same_as', device)).toBe(false);
    expect(await entities.identity(ref('nobody'))).toBeNull();
  });

  test('says what is wrong where the key is', async () => {
    const { entities } = createClient({ url: service.url, key: 'wrong', exitTimeoutMs: 0 });
    await expect(entities.get(ref('x'))).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
    const nobody = createClient({ url: 'http://127.0.0.1:1', key: 'k', exitTimeoutMs: 0 });
    await expect(nobody.entities.get(ref('x'))).rejects.toMatchObject({ name: 'SluiceError', status: 0 });
  });
});
