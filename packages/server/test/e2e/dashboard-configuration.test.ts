import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join as joinPaths } from 'node:path';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type {
  AppliedConfiguration,
  ConfigurationDifference,
  MissingSecret,
} from '@sluice/contract/dashboard-configuration';
import { type Browser, dataOf, join, listOf, setUp } from '../support/dashboard.ts';
import { expectRefused, post } from '../support/endpoints.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** The example of the guide, as it is written there. */
const guide = readFileSync(joinPaths(import.meta.dir, '../../../../docs/configuration-file.md'), 'utf8');
const example = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';

const SLACK = 'https://1.1.1.1/services/canary-of-slack';

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`the configuration as a file, on ${engine}`, () => {
    let service: TestService;
    let database: FreshDatabase | undefined;
    let owner: Browser;

    beforeAll(async () => {
      database = engine === 'postgres' ? await migratedDatabase() : undefined;
      service = await startTestService({
        settings: {
          SLUICE_MAX_ORGANISATIONS_PER_USER: '100',
          ...(database ? { SLUICE_DATABASE_URL: database.url } : {}),
        },
      });
      owner = await setUp(service);
    });
    afterAll(async () => {
      await service.stop();
      await database?.drop();
    });

    const download = async (browser = owner) =>
      dataOf<{ document: string }>(await browser.get('/configuration/file')).document;
    /** Without that of the system events, which every organisation has. */
    const madeSources = async () =>
      listOf<{ kind: string; url: string; auth: string; match: string; token?: string }>(
        await owner.get('/sources'),
      ).data.filter(({ kind }) => kind !== 'system');
    const compare = async (document: string, remove = false) =>
      dataOf<ConfigurationDifference>(await owner.post('/configuration/difference', { document, remove }));
    const apply = (document: string, base: string, more: object = {}) =>
      owner.post('/configuration/apply', { document, base, ...more });
    async function change(document: string, more: { remove?: boolean; secrets?: object[] } = {}) {
      const { base, problems } = await compare(document, more.remove);
      expect(problems).toEqual([]);
      return dataOf<AppliedConfiguration>(await apply(document, base, more));
    }
    const changesOf = ({ items }: ConfigurationDifference, ...changes: string[]) =>
      items.filter(item => changes.includes(item.change)).map(({ sort, key }) => `${sort} ${key}`);
    const secretsOf = (asked: readonly MissingSecret[]) =>
      asked.filter(one => !one.can_be_made).map(({ path }) => ({ path, value: SLACK }));
    /** An organisation in which there is nothing yet. */
    async function empty(): Promise<void> {
      const { id } = dataOf<{ id: string }>(await owner.post('/organisations', { name: 'Another' }));
      dataOf(await owner.put('/session/organisation', { id }));
    }

    test('the example of the guide is applied as it is written, and changes nothing the second time', async () => {
      await empty();
      const shown = await compare(example);
      expect(shown.problems).toEqual([]);
      expect(changesOf(shown, 'created')).toEqual([
        'source GitHub',
        'source Orders',
        'source Shop',
        'destination Alerts',
        'destination Warehouse',
        'pipeline Large orders',
      ]);
      expect(shown.secrets.map(({ path, can_be_made }) => [path, can_be_made])).toEqual([
        ['sources.GitHub.secret', true],
        ['destinations.Alerts.config.url', false],
        ['destinations.Warehouse.config.auth.secret', true],
      ]);

      const missing = await apply(example, shown.base);
      expectRefused(missing, {
        status: 400,
        code: 'validation_failed',
        path: 'destinations.Alerts.config.url',
      });
      expect(await madeSources()).toEqual([]);

      const applied = dataOf<AppliedConfiguration>(
        await apply(example, shown.base, { secrets: secretsOf(shown.secrets) }),
      );
      expect(applied).toMatchObject({ created: 6, changed: 0, removed: 0 });
      expect(applied.made.map(({ key, field }) => `${key} ${field}`)).toEqual([
        'GitHub secret',
        'Shop secret',
        'Warehouse config',
      ]);
      const written = await download();
      for (const secret of [SLACK, ...applied.made.map(one => one.secret)])
        expect(written).not.toContain(secret);
      for (const document of [example, written]) {
        const again = await compare(document, true);
        expect(again.problems).toEqual([]);
        expect(changesOf(again, 'created', 'changed', 'removed')).toEqual([]);
        expect(again.secrets).toEqual([]);
      }

      const audit = listOf<{ action: string }>(await owner.get('/audit?limit=20')).data.map(
        one => one.action,
      );
      expect(audit.filter(action => action === 'source.created')).toHaveLength(3);
      expect(audit.filter(action => action === 'destination.created')).toHaveLength(2);
      expect(audit).toContain('pipeline.created');
      expect(audit).toContain('configuration.applied');
      expect(JSON.stringify(listOf(await owner.get('/audit?limit=20')).data)).not.toContain('canary');

      // Into another organisation it makes the same again.
      await empty();
      const other = await compare(written);
      await change(written, { secrets: secretsOf(other.secrets) });
      expect(await download()).toBe(written);
    });

    test('what is applied works: events come in, and a disabled source takes none', async () => {
      await empty();
      await change('sluice: 1\nsources:\n  Open: {kind: webhook, auth: none}');
      const [source] = await madeSources();
      expect((await post(source?.url ?? '', '{"a":1}')).status).toBe(202);
      await change('sluice: 1\nsources:\n  Open: {kind: webhook, auth: none, enabled: false}');
      expect((await post(source?.url ?? '', '{"a":1}')).status).toBe(403);
    });

    test('a change is shown field by field, and makes an ordinary version', async () => {
      await empty();
      await change(example, { secrets: secretsOf((await compare(example)).secrets) });
      const changed = example
        .replace('payload.total > 1000\n', 'payload.total > 2000\n')
        .replace('per_second: 50', 'per_second: 60')
        .replace('paused: false', 'paused: true');
      const shown = await compare(changed);
      expect(
        shown.items.filter(item => item.change === 'changed').map(({ key, fields }) => [key, fields]),
      ).toEqual([
        ['Shop', [{ path: 'rate.per_second', before: 50, after: 60 }]],
        ['Warehouse', [{ path: 'paused', before: false, after: true }]],
        [
          'Large orders',
          [
            {
              path: 'steps[0].config.condition',
              before: 'payload.total > 1000',
              after: 'payload.total > 2000',
            },
          ],
        ],
      ]);
      expect(await change(changed)).toMatchObject({ created: 0, changed: 3, removed: 0, made: [] });
      const [pipeline] = listOf<{ id: string; version: number }>(await owner.get('/pipelines')).data;
      expect(pipeline?.version).toBe(2);
      const versions = listOf<{ created_by: string }>(await owner.get(`/pipelines/${pipeline?.id}/versions`));
      expect(versions.data).toHaveLength(2);

      await change(changed.replace('Large orders:\n    enabled: true', 'Large orders:\n    enabled: false'));
      const [turned] = listOf<{ version: number; enabled: boolean }>(await owner.get('/pipelines')).data;
      expect(turned).toMatchObject({ version: 2, enabled: false });
    });

    test('nothing is removed unless that is asked for, and then only in sections that the file has', async () => {
      await empty();
      await change(example, { secrets: secretsOf((await compare(example)).secrets) });
      const less = 'sluice: 1\nsources:\n  Shop: {kind: webhook, rate: {per_second: 50, burst: 100}}\n';
      expect(changesOf(await compare(less), 'removed')).toEqual([]);
      expect(changesOf(await compare(less), 'absent')).toContain('source Orders');
      expect(changesOf(await compare(less, true), 'removed')).toEqual(['source GitHub', 'source Orders']);
      expect(await change(less, { remove: true })).toMatchObject({ removed: 2 });
      const [pipeline] = listOf<{ sources: string[]; version: number }>(await owner.get('/pipelines')).data;
      expect([pipeline?.sources.length, pipeline?.version]).toEqual([1, 2]);

      const refers = `${less}pipelines:\n  P: {sources: [Orders]}\n`;
      const { problems } = await compare(refers, true);
      expect(problems).toMatchObject([{ line: 5, path: 'pipelines.P.sources[0]' }]);
      const nothing = 'sluice: 1\nsources: {}\ndestinations: {}\npipelines: {}\n';
      expect(await change(nothing, { remove: true })).toMatchObject({ removed: 4 });
      expect(await download()).toEndWith('sluice: 1\nsources: {}\ndestinations: {}\npipelines: {}\n');
    });

    test('a pipeline of system events is carried into another organisation, whatever the source is called there', async () => {
      await empty();
      const { id } = listOf<{ id: string; kind: string }>(await owner.get('/sources')).data.find(
        ({ kind }) => kind === 'system',
      ) ?? { id: '' };
      await owner.patch(`/sources/${id}`, { name: 'Ours' });
      await owner.post('/sources', { kind: 'sdk', name: 'System', match: '*' });
      await owner.post('/pipelines', { name: 'Alerts', sources: [id], steps: [], destinations: [] });
      const written = await download();
      expect(written).toContain('sources:\n      - System\n');
      expect(written).toContain('  "System #2":\n    name: System\n');
      await empty();
      await change(written, { remove: true });
      expect(await download()).toBe(written);
      const refused = await compare('sluice: 1\nsources:\n  System: {kind: sdk, match: a}\n');
      expect(refused.problems).toMatchObject([{ path: 'sources.System.name' }]);
    });

    test('what has changed since it was shown is not overwritten', async () => {
      await empty();
      const document = 'sluice: 1\nsources:\n  Shop: {kind: webhook, auth: bearer}\n';
      const { base } = await compare(document);
      const made = dataOf<{ id: string }>(await owner.post('/sources', { kind: 'webhook', name: 'Shop' }));
      expectRefused(await apply(document, base), { status: 409, code: 'version_conflict' });
      expect(await madeSources()).toMatchObject([{ auth: 'hmac' }]);
      const fresh = await compare(document);
      expect(changesOf(fresh, 'changed')).toEqual(['source Shop']);
      // Neither is another file than the one that was shown, nor one that was shown without removing.
      expectRefused(await apply(`${document}\n`, fresh.base), { status: 409, code: 'version_conflict' });
      expectRefused(await apply(document, fresh.base, { remove: true }), {
        status: 409,
        code: 'version_conflict',
      });
      await owner.patch(`/sources/${made.id}`, { enabled: false });
      expectRefused(await apply(document, fresh.base), { status: 409, code: 'version_conflict' });
    });

    test('of two that are applied at once, one is', async () => {
      await empty();
      const documents = ['bearer', 'none'].map(
        auth => `sluice: 1\nsources:\n  Shop: {kind: webhook, auth: ${auth}}\n`,
      );
      await owner.post('/sources', { kind: 'webhook', name: 'Shop' });
      const shown = await Promise.all(documents.map(document => compare(document)));
      const answers = await Promise.all(
        documents.map((document, i) => apply(document, shown[i]?.base ?? '')),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    });

    test('a source that others sign for from now on asks for their secret, and keeps none of ours', async () => {
      await empty();
      const hook = (more: string) =>
        `sluice: 1\nsources:\n  Hook:\n    kind: webhook\n    ${more}\n    rate: { per_second: 0, burst: 1 }\n`;
      const custom =
        'auth: custom\n    scheme: { header: x-sig, algorithm: sha256, encoding: hex, signed: "{body}" }';
      const [ours] = (await change(hook('auth: hmac'))).made;
      const signed = (secret: string, header: string, prefix = '') =>
        post(dataOfHook.url, '{}', {
          [header]: prefix + createHmac('sha256', secret).update('{}').digest('hex'),
        });
      const [dataOfHook = { url: '' }] = await madeSources();
      for (const [file, canBeMade] of [
        [hook('auth: provider\n    provider: github'), true],
        [hook(custom), true],
        [hook('auth: provider\n    provider: stripe'), false],
      ] as const) {
        const { secrets } = await compare(file);
        expect(secrets).toMatchObject([{ path: 'sources.Hook.secret', can_be_made: canBeMade }]);
      }
      const path = 'sources.Hook.secret';
      await change(hook('auth: provider\n    provider: github'), { secrets: [{ path, value: 'of-github' }] });
      expect((await signed(ours?.secret ?? '', 'x-hub-signature-256', 'sha256=')).status).toBe(401);
      expect((await signed('of-github', 'x-hub-signature-256', 'sha256=')).status).toBe(202);
      // That of one provider is none of a scheme of one's own; where none is given, one is made and shown.
      const [made] = (await change(hook(custom))).made;
      expect((await signed('of-github', 'x-sig')).status).toBe(401);
      expect((await signed(made?.secret ?? '', 'x-sig')).status).toBe(202);
      // The same sender, described otherwise, signs with the same secret.
      expect((await compare(hook(custom.replace('x-sig', 'x-other')))).secrets).toEqual([]);
    });

    test('secrets are kept, but go to nobody else', async () => {
      await empty();
      const hook = (url: string, auth: string) =>
        `sluice: 1\ndestinations:\n  Hook: {kind: webhook, config: {url: "${url}", auth: ${auth}}}\n`;
      const marked = '{mode: bearer, secret: !secret}';
      const first = hook('https://1.1.1.1/a', marked);
      await change(first, { secrets: [{ path: 'destinations.Hook.config.auth.secret', value: 'kept' }] });
      expect((await compare(hook('https://1.1.1.1/b', marked))).secrets).toEqual([]);
      expect((await compare(hook('https://1.0.0.1/b', marked))).secrets).toMatchObject([
        { path: 'destinations.Hook.config.auth.secret', can_be_made: false },
      ]);
      // One that we make is not made again because the file leaves the mark out.
      const signed = await change(hook('https://1.1.1.1/a', '{mode: hmac}'));
      expect(signed.made).toHaveLength(1);
      const again = await compare(hook('https://1.1.1.1/a', '{mode: hmac}'));
      expect(changesOf(again, 'changed')).toEqual([]);
      // While it is being rotated, neither does the file change that.
      const [destination] = listOf<{ id: string }>(await owner.get('/destinations')).data;
      await owner.post(`/destinations/${destination?.id}/rotate`, { overlap_s: 600 });
      expect(changesOf(await compare(await download()), 'changed')).toEqual([]);
      await change((await download()).replace('paused: false', 'paused: true'));
      const rotated = dataOf<{ rotation: { previous_secret_until: string | null } }>(
        await owner.get(`/destinations/${destination?.id}`),
      );
      expect(rotated.rotation.previous_secret_until).not.toBeNull();
    });

    if (engine === 'sqlite') {
      describe('a file is refused, with line and path, where', () => {
        const section = (name: string, ...lines: string[]) =>
          ['sluice: 1', `${name}:`, ...lines.map(line => `  ${line}`)].join('\n');
        const files: [string, string, { line: number; path: string }][] = [
          ['it has another format', 'sluice: 2\nsources: {}', { line: 1, path: 'sluice' }],
          ['a section is unknown', 'sluice: 1\nkeys: {}', { line: 2, path: 'keys' }],
          ['it is no map', '- a', { line: 1, path: 'sluice' }],
          [
            'a field is unknown',
            section('sources', 'Shop:', '  kind: webhook', '  colour: red'),
            { line: 5, path: 'sources.Shop.colour' },
          ],
          [
            'a secret is written out',
            section('destinations', 'A:', '  kind: slack', '  config:', '    url: https://1.1.1.1/x'),
            { line: 6, path: 'destinations.A.config.url' },
          ],
          [
            'a source has a secret',
            section('sources', 'A: {kind: webhook, secret: abc}'),
            { line: 3, path: 'sources.A.secret' },
          ],
          [
            'a secret is said to be where none belongs',
            section(
              'pipelines',
              'P:',
              '  steps:',
              '    - kind: filter.match',
              '      config: {condition: !secret }',
            ),
            { line: 6, path: 'pipelines.P.steps[0].config.condition' },
          ],
          [
            'a condition cannot be read',
            section(
              'pipelines',
              'P:',
              '  steps:',
              '    - kind: filter.match',
              '      config: {condition: "payload.a >"}',
            ),
            { line: 6, path: 'pipelines.P.steps[0].config.condition' },
          ],
          [
            'a kind of step is unknown',
            section('pipelines', 'P:', '  steps:', '    - kind: nothing'),
            { line: 5, path: 'pipelines.P.steps[0].kind' },
          ],
          [
            'a kind of destination is unknown',
            section('destinations', 'A: {kind: nothing}'),
            { line: 3, path: 'destinations.A.kind' },
          ],
          [
            'an address is private',
            section('destinations', 'A:', '  kind: webhook', '  config:', '    url: https://10.0.0.1/x'),
            { line: 6, path: 'destinations.A.config.url' },
          ],
          [
            'a limit is passed',
            section('destinations', 'A:', '  kind: inbox', '  policy:', '    attempts: 51'),
            { line: 6, path: 'destinations.A.policy.attempts' },
          ],
          [
            'a name is too long',
            section('sources', `${'x'.repeat(101)}: {kind: sdk, match: "*"}`),
            { line: 3, path: `sources.${'x'.repeat(101)}.name` },
          ],
          [
            'a key does not fit its name',
            section('sources', 'Shop: {name: Other, kind: sdk, match: "*"}'),
            { line: 3, path: 'sources.Shop.name' },
          ],
          [
            'it refers to nothing',
            section('pipelines', 'P:', '  destinations:', '    - name: Nowhere'),
            { line: 5, path: 'pipelines.P.destinations[0].name' },
          ],
          [
            'it refers to one twice',
            `${section('pipelines', 'P:', '  sources: [A, A]')}\nsources:\n  A: {kind: sdk, match: "*"}`,
            { line: 4, path: 'pipelines.P.sources[1]' },
          ],
        ];
        test.each(files)('%s', async (_, document, problem) => {
          const { problems, base } = await compare(document);
          expect(problems[0]).toMatchObject(_ === 'it is no map' ? { line: 1 } : problem);
          const refused = await apply(document, base);
          expect(refused.status).toBe(400);
          expect(JSON.stringify(refused.body)).toContain(`Line ${problem.line}`);
        });

        test('it is longer than half a megabyte', async () => {
          const document = `# ${'x'.repeat(512 * 1024)}`;
          expectRefused(await owner.post('/configuration/difference', { document }), {
            status: 400,
            code: 'validation_failed',
            path: 'document',
          });
        });
      });

      test('kinds cannot be changed', async () => {
        await empty();
        await change('sluice: 1\nsources:\n  A: {kind: sdk, match: "*"}\ndestinations:\n  B: {kind: inbox}');
        const { problems } = await compare(
          'sluice: 1\nsources:\n  A: {kind: webhook}\ndestinations:\n  B: {kind: listener}',
        );
        expect(problems.map(({ path }) => path)).toEqual(['sources.A.kind', 'destinations.B.kind']);
      });

      test('names that are there twice are numbered, and each keeps its own', async () => {
        await empty();
        for (const match of ['a', 'b', 'c'])
          await owner.post('/sources', { kind: 'sdk', name: 'Shop', match });
        const written = await download();
        expect(written).toContain(
          '  "Shop #3":\n    name: Shop\n    kind: sdk\n    enabled: true\n    match: c\n',
        );
        await change(written.replace('match: b', 'match: bb'));
        expect((await madeSources()).map(one => one.match)).toEqual(['c', 'bb', 'a']);
        await empty();
        await change(written);
        expect(await download()).toBe(written);
      });

      test('a viewer sees the file and may not compare, and it holds nothing that he may not see', async () => {
        await empty();
        await change(example, { secrets: secretsOf((await compare(example)).secrets) });
        const viewer = await join(service.url, owner, 'viewer-of-files@example.com', 'viewer');
        const { organisation } = dataOf<WhoAmI>(await owner.get('/session'));
        dataOf(await viewer.put('/session/organisation', { id: organisation.id }));
        const written = await download(viewer);
        expect(written).toBe(await download());
        for (const { token } of await madeSources()) if (token) expect(written).not.toContain(token);
        const body = { document: written };
        expectRefused(await viewer.post('/configuration/difference', body), {
          status: 403,
          code: 'forbidden',
        });
      });
    }
  });
}
