import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join as joinPath } from 'node:path';
import type { ConfigurationDifference } from '@sluice/contract/dashboard-configuration';
import { exportFormat } from '@sluice/contract/dashboard-events';
import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { readArguments } from '../../src/command/read-arguments.ts';
import { tail } from '../../src/command/tail.ts';
import { getPath, parsePath } from '../../src/core/expressions/path.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { totpCode } from '../../src/core/secrets/totp.ts';
import { readSettings } from '../../src/settings.ts';
import { runCommand } from '../support/command.ts';
import { type Browser, cookieOf, dataOf, join, openBrowser } from '../support/dashboard.ts';
import { OPEN_TO_LOOPBACK } from '../support/delivery-process.ts';
import { acceptedIds, ingestWith, toAnswer } from '../support/endpoints.ts';
import { newFolder } from '../support/folder.ts';
import { openStream } from '../support/live-stream.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type ServerProcess, startProcess } from '../support/process.ts';
import type { Receiver } from '../support/receiver.ts';
import { recordTerminal } from '../support/terminal.ts';
import { routes } from '../support/trust/call-cases.ts';
import { type Canaries, createCanaries } from '../support/trust/canaries.ts';
import {
  type EchoMailServer,
  startEchoMailServer,
  startEchoReceiver,
} from '../support/trust/echo-servers.ts';
import { isList, readEverything } from '../support/trust/read-everything.ts';
import {
  destinationConfigs,
  newCanary,
  sourceSecrets,
  stepConfigs,
} from '../support/trust/secret-bearers.ts';
import { dumpTables } from '../support/trust/table-dump.ts';
import { tapFetch, type Wiretap } from '../support/trust/wiretap.ts';
import { until } from '../support/until.ts';

/**
 * Every kind of secret is planted in a running service, which then works with all of them against servers that repeat
 * what they are told. Afterwards none of them stands anywhere in the clear.
 */

let postgres: PostgresServer;
let echo: Receiver;
let mail: EchoMailServer;
beforeAll(async () => {
  postgres = await startPostgres();
  echo = startEchoReceiver();
  mail = await startEchoMailServer();
});
afterAll(async () => {
  await postgres.remove();
  await echo.stop();
  await mail.stop();
});

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`on ${engine}`, () => {
    const directory = newFolder();
    const canaries = createCanaries();
    /** Members may read these, and they stand nowhere else. */
    const shownToMembers = createCanaries();
    /** What the search must find, or it looks in the wrong places. */
    const plain = createCanaries();
    const word = plain.plant('the payload', newCanary('payload'));
    const refusals: string[] = [];
    /** What it was started with, and what it was told and said while they were planted. */
    let settings = '';
    let wiretap: Wiretap;
    /** Senders who sign do not send what they sign with. */
    const onlySigned: string[] = [];
    /** Where the files are that were written for somebody. */
    const exported: string[] = [];
    let databaseUrl: string | undefined;
    let password: string;
    let keys: { readonly present: string; readonly previous: string };
    let server: ServerProcess;
    let owner: Browser;
    let viewer: Browser;

    beforeAll(async () => {
      canaries.plant('the password of the database', new URL(postgres.url).password);
      databaseUrl = engine === 'postgres' ? (await postgres.freshDatabase()).url : undefined;
      password = canaries.plant('the password of the administrator', newCanary('admin'));
      const newKey = (name: string) => canaries.plant(name, newCanary('secret-key-of-32-characters'));
      keys = { present: newKey('the secret key'), previous: newKey('the secret key before') };
      const given = {
        ...OPEN_TO_LOOPBACK,
        SLUICE_LOG_LEVEL: 'debug',
        SLUICE_SECRET_KEY: keys.present,
        SLUICE_SECRET_KEY_PREVIOUS: keys.previous,
        SLUICE_ADMIN_EMAIL: 'owner@example.com',
        SLUICE_ADMIN_PASSWORD: password,
        ...(databaseUrl ? { SLUICE_DATABASE_URL: databaseUrl } : {}),
      };
      settings = JSON.stringify(given);
      server = await startProcess({ directory, settings: given });
      wiretap = tapFetch();
      owner = openBrowser(server.url);
      dataOf(await owner.post('/session', { email: 'owner@example.com', password }));
      plantSession('the session of the owner', owner);
    });
    afterAll(async () => {
      wiretap.remove();
      server.kill('SIGKILL');
      await server.ended;
    });

    const plantSession = (name: string, browser: Browser) =>
      canaries.plant(name, cookieOf(browser).split('=')[1] ?? '');
    const refused = async (answer: Promise<{ status: number; body: unknown }>) => {
      const { status, body } = await answer;
      expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
      refusals.push(JSON.stringify(body));
    };

    test('people: passwords, sessions, invitations, second factors', async () => {
      viewer = await join(server.url, owner, 'viewer@example.com', 'viewer');
      plantSession('the session of a viewer', viewer);
      const invited = dataOf<{ invite_code: string }>(
        await owner.post('/members', { email: 'guest@example.com', role: 'member' }),
      );
      canaries.plant('the code of an invitation', invited.invite_code);
      const guest = openBrowser(server.url);
      const first = canaries.plant('a password', newCanary('password'));
      dataOf(await guest.post(`/invitations/${invited.invite_code}`, { password: first }));
      const next = canaries.plant('a new password', newCanary('new-password'));
      dataOf(await guest.put('/account/password', { password: first, new_password: next }));
      const offer = dataOf<{ secret: string }>(await guest.post('/account/second-factor/offer'));
      canaries.plant('the seed of a second factor', offer.secret);
      const code = totpCode(offer.secret, Date.now());
      const { recovery_codes } = dataOf<{ recovery_codes: string[] }>(
        await guest.put('/account/second-factor', { password: next, secret: offer.secret, code }),
      );
      for (const [at, one] of recovery_codes.entries()) canaries.plant(`recovery code ${at + 1}`, one);
      const back = openBrowser(server.url);
      const withCode = { email: 'guest@example.com', password: next, code: recovery_codes[0] };
      dataOf(await back.post('/session', withCode));
      plantSession('the session of a guest', back);

      const wrong = (name: string) => canaries.plant(`a wrong ${name}`, newCanary(`wrong-${name}`));
      await refused(back.post('/session', { email: 'guest@example.com', password: wrong('password') }));
      await refused(
        back.post('/session', { ...withCode, code: canaries.plant('a wrong code', newCanary('code')) }),
      );
      await refused(back.post(`/invitations/${wrong('invitation')}`, { password: wrong('first password') }));
      await refused(back.post('/setup', { code: wrong('set-up code') }));
      await refused(back.put('/account/password', { password: wrong('old password'), new_password: 'x' }));
      await refused(back.send('GET', '/keys', { headers: { Cookie: `sluice_session=${wrong('session')}` } }));
    });

    test('senders: keys, and sources of each mode of authentication', async () => {
      const key = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' }));
      canaries.plant('an API key', key.secret);
      const send = ingestWith(server.url, key.secret);
      acceptedIds(await send({ events: [{ type: 'a', payload: { word } }] }));
      const wrong = canaries.plant('a wrong API key', newCanary('wrong-key'));
      await refused(ingestWith(server.url, wrong)({ events: [] }));
      const sources = Object.entries(sourceSecrets).flatMap(([auth, all]) =>
        all.map(one => ({ ...one, auth, name: `a source of ${one.name}` })),
      );
      const receive = ({ url, headers, body }: ReturnType<(typeof sources)[number]['send']>) =>
        fetch(url, { method: 'POST', headers, body });
      for (const { auth, name, isOpen, secretLike, given, send, status } of sources) {
        const plant = (what: string, secret: string) => canaries.plant(`${what} of ${name}`, secret);
        const text = newCanary('source');
        const fields = given(secretLike(text)) as Record<string, string | undefined>;
        const { secret, verify_token: agreed } = fields;
        if (secret) plant('the secret', secret);
        // By itself too, where the form of the secret has something around it.
        if (secret && secret !== text) plant('the text in the secret', text);
        if (agreed) plant('the verify token', agreed);
        const source = dataOf<{ id: string; token: string; secret?: string }>(
          await owner.post('/sources', { kind: 'webhook', name, auth, ...fields }),
        );
        shownToMembers.plant(`the token of ${name}`, source.token);
        if (source.secret) plant('the secret', source.secret);
        const url = `${server.url}/whk/${source.token}`;
        const right = secret ?? source.secret ?? '';
        expect((await receive(send(url, right))).status, name).toBe(status);
        if (!isOpen && right !== '') {
          const guess = plant('a wrong secret', secretLike(newCanary('guess')));
          const request = send(url, guess);
          const sent = createCanaries();
          sent.plant('it', guess);
          if (sent.findIn('', JSON.stringify(request)).length === 0)
            onlySigned.push(`a wrong secret of ${name}`);
          await refused(toAnswer(await receive(request)));
        }
        if (agreed) {
          const shake = (token: string) => fetch(`${url}?hub.challenge=1&hub.verify_token=${token}`);
          expect((await shake(agreed)).status).toBe(200);
          const answer = await shake(plant('a wrong verify token', newCanary('wrong-verify')));
          await refused(toAnswer(answer));
        }
        // One that the provider made is given again; another is made.
        if (right === '') continue;
        const next =
          secret === undefined ? {} : { secret: plant('the next secret', secretLike(newCanary('next'))) };
        const rotated = await owner.post(`/sources/${source.id}/rotate`, next);
        expect(rotated.status, name).toBe(200);
        const made = dataOf<{ secret?: string }>(rotated).secret;
        if (made) plant('the rotated secret', made);
      }
      // Each provider has its turn, or there is nothing to be found of it.
      const providers = dataOf<{ name: string }[]>(await owner.get('/kinds/providers'));
      const tried = sources.map(({ name }) => name);
      expect(
        providers.map(({ name }) => name).filter(name => !tried.includes(`a source of ${name}`)),
      ).toEqual(['sns']);
    });

    test('steps and destinations: every secret of every kind', async () => {
      const target = (await postgres.freshDatabase()).url;
      const at = { echoUrl: echo.url, mailPort: mail.port, databaseUrl: target };
      const steps = dataOf<KindRecord[]>(await owner.get('/kinds/steps'));
      const kinds = dataOf<KindRecord[]>(await owner.get('/kinds/destinations'));
      const ofEach = (records: KindRecord[], configs: typeof stepConfigs) =>
        records.flatMap(({ kind, secrets }) => {
          const made = configs[kind];
          if (made === undefined && secrets.length === 0) return [];
          if (made === undefined) throw new Error(`${kind} takes a line in secret-bearers.ts.`);
          const secret = newCanary(kind);
          const all = made(secret, at);
          if (JSON.stringify(all).includes(secret)) canaries.plant(`a secret of ${kind}`, secret);
          // What is kept of the secret before comes of rotating one; the token of a listener is made for it.
          const given = secrets.filter(
            one => !one.includes('previous') && !(kind === 'listener' && one === 'token'),
          );
          for (const path of given) {
            const isPlanted = all.some(config =>
              String(getPath(config as JsonObject, parsePath(path))).includes(secret),
            );
            expect(isPlanted, `${path} of ${kind} is planted`).toBe(true);
          }
          return all.map(config => ({ kind, config }));
        });

      const columns = { kind: 'postgres', config: { connection_string: target, table: 'events' } };
      const { ddl } = dataOf<{ ddl: string }>(await owner.post('/destinations/columns', columns));
      await postgres.administer(target, ddl);
      const bad = canaries.plant('a wrong password of a database', newCanary('database'));
      const elsewhere = Object.assign(new URL(target), { password: bad }).href;
      await refused(
        owner.post('/destinations/columns', {
          ...columns,
          config: { ...columns.config, connection_string: elsewhere },
        }),
      );

      const made: string[] = [];
      for (const { kind, config } of ofEach(kinds, destinationConfigs)) {
        const policy = { attempts: 1, schedule_s: [0] };
        const { id, secret: generated } = dataOf<{ id: string; secret?: string }>(
          await owner.post('/destinations', { kind, name: `${kind} ${made.length}`, config, policy }),
        );
        if (generated) canaries.plant(`the secret made for ${kind} ${made.length}`, generated);
        made.push(id);
        refusals.push(JSON.stringify((await owner.post(`/destinations/${id}/test`)).body));
        const rotation = await owner.post(`/destinations/${id}/rotate`, {});
        const secret = (rotation.body as { data?: { secret?: string } }).data?.secret;
        if (secret) canaries.plant(`the rotated secret of ${kind} ${made.length}`, secret);
      }
      const source = dataOf<{ id: string }>(
        await owner.post('/sources', { kind: 'sdk', name: 'all', match: '*' }),
      );
      const definition = {
        name: 'all',
        sources: [source.id],
        steps: ofEach(steps, stepConfigs),
        destinations: made.map(id => ({ id })),
      };
      const pipeline = dataOf<{ id: string }>(await owner.post('/pipelines', definition));
      const key = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' }));
      canaries.plant('another API key', key.secret);
      const [id = ''] = acceptedIds(
        await ingestWith(server.url, key.secret)({ events: [{ type: 'b', payload: { word } }] }),
      );
      await until(async () => {
        const { deliveries } = dataOf<{ deliveries: { state: string }[] }>(await owner.get(`/events/${id}`));
        return (
          deliveries.length === made.length &&
          // Nobody listens.
          deliveries.every(({ state }) => /^(dead|delivered|held)$/.test(state))
        );
      }, 'The deliveries do not come to an end.');
      // Each was really used: the servers, which repeat what they are told, were told them.
      const told = echo.requests.map(
        ({ path, headers, body }) => `${path} ${JSON.stringify([...headers])} ${body}`,
      );
      const used = canaries.findIn('servers', [...told, ...mail.lines.map(decodePlain)].join('\n'));
      for (const kind of ['webhook', 'slack', 'discord', 'telegram', 'email', 'notion', 'classify'])
        expect(used).toContain(`a secret of ${kind} in servers`);
      const dryRun = { pipeline: { ...definition, id: pipeline.id }, event_id: id, classify: true };
      const ran = await owner.post('/pipelines/dry-run', dryRun);
      expect(ran.status).toBe(200);
      refusals.push(JSON.stringify(ran.body));
      await refused(owner.post('/pipelines', { ...definition, sources: ['src_x'] }));
    });

    test('configuration: secrets that are entered for a file', async () => {
      const document = [
        'sluice: 1',
        'sources: {Filed: {kind: webhook, auth: provider, provider: github}}',
        `destinations: {Filed: {kind: slack, config: {url: !secret}}}`,
      ].join('\n');
      const shown = dataOf<ConfigurationDifference>(
        await owner.post('/configuration/difference', { document }),
      );
      expect(shown.problems).toEqual([]);
      const entered = shown.secrets.map(({ path }) => {
        const secret = canaries.plant(`the secret entered at ${path}`, newCanary('entered'));
        return { path, value: path.endsWith('url') ? `${echo.url}/services/${secret}` : secret };
      });
      expect(entered).toHaveLength(2);
      const apply = (secrets: object[]) =>
        owner.post('/configuration/apply', { document, base: shown.base, secrets });
      const wrong = canaries.plant('a wrong secret entered', newCanary('wrong-entered'));
      await refused(apply(entered.map(one => ({ ...one, value: `file:///${wrong}` })).slice(1)));
      expect(dataOf(await apply(entered))).toMatchObject({ created: 2 });
      await refused(apply(entered));
    });

    test('exports: a file of events in each format, of dead letters and of the audit log, kept for a while', async () => {
      const events = exportFormat.options.map(format => ({ format }));
      for (const body of [...events, { what: 'dead_letters' }, { what: 'audit', format: 'csv' }]) {
        const { id } = dataOf<JobRecord>(await owner.post('/exports', body));
        await until(
          async () => dataOf<JobRecord>(await owner.get(`/jobs/${id}`)).file !== undefined,
          'An export does not end.',
        );
        // The log tells of what was done, and not of what events hold.
        if (!('what' in body) || body.what !== 'audit') exported.push(`/jobs/${id}/file`);
      }
    });

    test('each of them was there to be found, whole, where it may be', () => {
      wiretap.remove();
      const told = canaries.findIn('', `${settings}\n${wiretap.heard()}`).map(found => found.slice(0, -4));
      expect(canaries.names().filter(name => !told.includes(name))).toEqual(onlySigned);
      expect(shownToMembers.findIn('', wiretap.heard())).toHaveLength(shownToMembers.names().length);
    });

    const findIn = (where: Canaries, texts: ReadonlyMap<string, string>): string[] =>
      [...texts].flatMap(([place, text]) => where.findIn(place, text));

    test('none of them is in what people read, files and streams and pages among it', async () => {
      expect(canaries.names().length).toBeGreaterThan(40);
      const seen = await readEverything(server.url, owner);
      const seenByViewer = await readEverything(server.url, viewer);
      const lists = routes
        .filter(route => isList(route) && !route.includes('/:'))
        .map(route => route.slice(4));
      const streamed: string[] = [];
      for (const path of [...lists.map(list => `/live?call=${list}`), '/live/events']) {
        const stream = await openStream(server.url, owner, path);
        streamed.push((await stream.next(() => true)).data);
        stream.close();
      }
      const open = new Map<string, string>();
      for (const path of ['/metrics', '/docs', '/v1/openapi.json', '/healthz', '/readyz', '/']) {
        open.set(path, await (await fetch(`${server.url}${path}`)).text());
      }
      expect(findIn(canaries, seen)).toEqual([]);
      expect(findIn(canaries, seenByViewer)).toEqual([]);
      expect(findIn(shownToMembers, seenByViewer)).toEqual([]);
      expect(canaries.findIn('streams', streamed.join('\n'))).toEqual([]);
      expect(findIn(canaries, open)).toEqual([]);
      expect(findIn(shownToMembers, open)).toEqual([]);
      expect(refusals.length).toBeGreaterThan(15);
      expect(canaries.findIn('answers', refusals.join('\n'))).toEqual([]);
      // The search itself: what is no secret is found, attempts and exports included.
      const shown = findIn(plain, seen);
      const places = ['/events/export', '/events/export?format=csv', '/dead-letters/export', ...exported];
      for (const place of [...places, '/deliveries/dlv_', '/events/evt_'])
        expect(
          shown.some(found => found.includes(` in ${place}`)),
          place,
        ).toBe(true);
      expect(findIn(shownToMembers, seen)).not.toEqual([]);
    });

    test('nor in the log, which told much', () => {
      expect(server.output().length).toBeGreaterThan(500);
      expect(server.output()).toContain('"level"');
      for (const where of [canaries, shownToMembers])
        expect(where.findIn('the log', server.output())).toEqual([]);
    });

    test('nor in any table, page or log of the database, nor in a copy of it', async () => {
      const all = await dumpTables({ directory, databaseUrl });
      const rows = all.join('\n');
      const folder = databaseUrl ? await dataDirectory() : directory;
      if (databaseUrl) await postgres.administer(postgres.url, 'CHECKPOINT');
      for (const where of [canaries, shownToMembers]) {
        expect(where.findIn('rows', rows)).toEqual([]);
        expect(where.findInFiles('files', folder)).toEqual([]);
        expect(where.findInFiles('files', directory)).toEqual([]);
      }
      for (const table of ['', 'export_chunks ']) {
        const ofTable = all.filter(row => row.startsWith(table)).join('\n');
        expect(plain.findIn('rows', ofTable), table).not.toEqual([]);
      }
      const found = plain.findInFiles('files', folder).join('\n');
      expect(found).toContain(databaseUrl ? '/pg_wal/' : 'sluice.db-wal');
      if (databaseUrl) return;
      const copy = joinPath(newFolder(), 'copy.db');
      const { code, out, err } = await runCommand(['backup', copy], { SLUICE_DATA_DIR: directory });
      expect({ code, err }).toEqual({ code: 0, err: '' });
      const bytes = new Uint8Array(await Bun.file(copy).arrayBuffer());
      for (const where of [canaries, shownToMembers]) {
        expect(where.findIn('the copy', bytes)).toEqual([]);
        expect(where.findIn('what backup said', out)).toEqual([]);
      }
      expect(plain.findIn('the copy', bytes)).not.toEqual([]);
    });

    test('nor in what the commands say', async () => {
      const settings = {
        SLUICE_DATA_DIR: directory,
        SLUICE_SECRET_KEY: keys.present,
        SLUICE_SECRET_KEY_PREVIOUS: keys.previous,
        ...(databaseUrl ? { SLUICE_DATABASE_URL: databaseUrl } : {}),
      };
      const found: string[] = [];
      const look = (place: string, text: string) => {
        for (const where of [canaries, shownToMembers]) found.push(...where.findIn(place, text));
      };
      const run = async (args: readonly string[], given: Record<string, string>) => {
        const { code, out, err } = await runCommand(args, given);
        look(args.join(' '), out + err);
        return { code, text: out + err };
      };
      for (const json of [[], ['--json']])
        expect((await run(['doctor', ...json], settings)).text).toContain('secret key');

      const terminal = recordTerminal();
      const environment = { SLUICE_EMAIL: 'owner@example.com', SLUICE_PASSWORD: password };
      const given = readArguments(tail, ['--url', server.url, '--json'], readSettings(environment));
      const exit = tail.run(given, { settings: readSettings(environment), terminal });
      const key = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'tail' }));
      canaries.plant('the API key of what is followed', key.secret);
      const send = ingestWith(server.url, key.secret);
      await until(async () => {
        acceptedIds(await send({ events: [{ type: 'followed', payload: { word } }] }));
        return terminal.said.some(line => line.includes('followed'));
      }, 'The tail shows no event.');
      terminal.stop();
      await exit;
      look('tail', [...terminal.said, ...terminal.complaints, ...terminal.shown].join('\n'));

      server.kill('SIGTERM');
      await server.ended;
      look('the log', server.output());
      const next = canaries.plant('the next secret key', newCanary('secret-key-of-32-characters'));
      const resealed = await run(['reseal'], {
        ...settings,
        SLUICE_SECRET_KEY: next,
        SLUICE_SECRET_KEY_PREVIOUS: keys.present,
      });
      expect(resealed.code, resealed.text).toBe(0);
      look('rows', (await dumpTables({ directory, databaseUrl })).join('\n'));
      expect(found).toEqual([]);
    });

    async function dataDirectory(): Promise<string> {
      const [row] = await postgres.administer<{ data_directory: string }>(
        postgres.url,
        'SHOW data_directory',
      );
      return row?.data_directory ?? '';
    }
  });
}

/** A password stands between others in what is said to a mail server. */
const decodePlain = (line: string): string =>
  Buffer.from(line.replace('AUTH PLAIN ', ''), 'base64').toString();
