import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { exportFormat } from '@sluice/contract/dashboard-events';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { listenReady } from '@sluice/contract/listen';
import { privateCalls, type Route } from '@sluice/contract/private-calls';
import { z } from 'zod';
import { cookieOf, dataOf, listOf, setUp, stranger } from '../support/dashboard.ts';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { openStream } from '../support/live-stream.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { settled } from '../support/pipelines.ts';
import type { FreshDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { basedBody, callCases, routes } from '../support/trust/call-cases.ts';
import { publicCalls, type UndescribedCall, undescribedCalls } from '../support/trust/public-cases.ts';
import { CALLS_AT_ONCE, expectStreamsAsIfAbsent } from '../support/trust/streams.ts';
import { dumpTables } from '../support/trust/table-dump.ts';
import { fillOrganisation, type Tenant } from '../support/trust/tenant.ts';
import { addressOf, ghosts, pathOf, publicPathOf, type Things, textsOf } from '../support/trust/things.ts';
import { until } from '../support/until.ts';

/**
 * Two organisations, each with some of everything, and one asks for what is the other's in every way that the tables of
 * calls allow. The answer must be the one for things that nobody has, and nothing of the other's may change.
 */
for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`on ${engine}`, () => {
    let database: FreshDatabase | undefined;
    let service: TestService;
    let ours: Tenant;
    let theirs: Tenant;
    let nobodys: Things;
    /** What they have sent under names that they chose themselves, which happen to be ours: that much is theirs. */
    let written = '';
    let before: string[];

    beforeAll(async () => {
      database = engine === 'postgres' ? await migratedDatabase() : undefined;
      service = await startTestService({
        settings: {
          SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8',
          SLUICE_ALLOW_HTTP: 'true',
          ...(database ? { SLUICE_DATABASE_URL: database.url } : {}),
        },
      });
      const owner = await setUp(service);
      const other = await stranger(service.url, owner, 'stranger@example.com');
      ours = await fillOrganisation(service.url, owner);
      theirs = await fillOrganisation(service.url, other);
      nobodys = ghosts(ours.things);
    });
    afterAll(async () => {
      await service.stop();
      await database?.drop();
    });

    /** Every row that is ours, but for what is counted and noted as time goes by: whoever was refused at a source is. */
    async function ourRows(): Promise<string[]> {
      const rows = await dumpTables({ directory: service.directory, databaseUrl: database?.url });
      const names = textsOf(ours.things).map(([, text]) => text);
      return rows
        .filter(row => row.includes(ours.orgId) || names.some(name => row.includes(name)))
        .filter(row => !row.includes(theirs.orgId) && !/^(counters|rejections) /.test(row))
        .map(row => row.replaceAll(/"(last_used_at|last_event_at)":(?:"?\d+"?|null)/g, '"$1":null'))
        .sort();
    }

    interface Asked {
      readonly method: string;
      readonly path: string;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }

    /** As the owner of the other organisation, or with its key. The answer holds nothing of ours that was not sent. */
    async function ask({ method, path, body, headers }: Asked): Promise<string> {
      const response = await fetch(`${service.url}${path}`, {
        method,
        headers: {
          'X-Sluice-CSRF': '1',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(path.startsWith('/dashboard/')
            ? { Cookie: cookieOf(theirs.owner) }
            : { Authorization: `Bearer ${theirs.apiKey}` }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(20_000),
      });
      const answer = `${response.status} ${await response.text()}`;
      if (method !== 'GET' && response.ok) written += JSON.stringify(body ?? null) + path;
      const sent = decodeURIComponent(path) + JSON.stringify([body, headers]) + written;
      for (const [name, text] of textsOf(ours.things)) {
        if (!sent.includes(text)) expect(answer, `${method} ${path} shows our ${name}`).not.toContain(text);
      }
      return answer;
    }

    /** The answer with the names of things and whatever differs each time taken out. */
    function likeness(answer: string, things: Things): string {
      let text = answer;
      for (const [name, thing] of textsOf(things)) text = text.replaceAll(thing, `<${name}>`);
      return text
        .replaceAll(/\b[a-z]{3,4}_[0-9A-HJKMNP-TV-Z]{26}/g, '<id>')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
        .replaceAll(/"(duration_ms|uptime_s)":[\d.]+/g, '"$1":0')
        .replaceAll(/"base":"[0-9a-f]{64}"/g, '"base":"<fingerprint>"');
    }

    /** Asks for ours, and for what nobody has, and holds the answers against each other. */
    async function expectAsIfAbsent(requestFor: (things: Things) => Asked | Promise<Asked>): Promise<string> {
      const requests: Asked[] = [];
      const answers: string[] = [];
      for (const things of [ours.things, nobodys]) {
        const request = await requestFor(things);
        requests.push(request);
        answers.push(likeness(await ask(request), things));
      }
      expect(answers[0] ?? '', `${requests[0]?.method} ${requests[0]?.path}`).toBe(answers[1] ?? '');
      return answers[0] ?? '';
    }

    const privateRequest = (route: Route, path: Things, body: Things, slug: string | null = null): Asked => ({
      method: route.split(' ')[0] ?? '',
      path: addressOf(route, path, slug) + queryOf(callCases[route].query ?? {}),
      ...(callCases[route].body ? { body: callCases[route].body(body) } : {}),
    });
    const isStream = (route: Route) => privateCalls[route].answer.kind === 'stream';
    const isAbout = (route: Route) => route.includes('/:') && callCases[route].least !== 'anyone';

    const open = (path: string) => openStream(service.url, theirs.owner, path);

    /** Something changes there, and an event comes in that has each of these. */
    async function happen({ owner, apiKey, things }: Tenant): Promise<string> {
      const { kind, external_id } = things.parameters;
      const event = {
        type: things.eventType,
        payload: { word: things.word },
        entity: { kind, external_id },
      };
      const [id = ''] = acceptedIds(await ingestWith(service.url, apiKey)({ events: [event] }));
      await settled(owner, id);
      await owner.patch(`/keys/${things.paths['/keys']}`, { name: `${things.word} renamed ${id}` });
      return id;
    }

    test('streams of theirs that ask for ours are told what one is told that asks for what nobody has', () =>
      expectStreamsAsIfAbsent({ ours, theirs, nobodys, open, happen, likeness }));

    test('a stream does not go on in a list of theirs from a cursor of ours', async () => {
      const lists = routes.filter(
        route => privateCalls[route].answer.kind === 'list' && !route.includes('/:'),
      );
      for (let n = 0; n < lists.length; n += CALLS_AT_ONCE) {
        const calls: string[] = [];
        for (const route of lists.slice(n, n + CALLS_AT_ONCE)) {
          const { next_cursor } = listOf(await ours.owner.get(`${pathOf(route, ours.things)}?limit=1`));
          expect(next_cursor, `the first page of ${route} goes on`).toBeString();
          const query = queryOf({ limit: '1', cursor: next_cursor ?? '' });
          calls.push(pathOf(route, theirs.things) + query);
        }
        const stream = await open(`/live?${new URLSearchParams(calls.map(call => ['call', call]))}`);
        for (const call of calls) {
          const { event, data } = await stream.next(one => one.data.includes(JSON.stringify(call)));
          expect(`${event} ${data}`, call).toMatch(/^refused .*"status":400,.*"code":"invalid_cursor"/);
        }
        stream.close();
      }
    });

    test('streams of theirs are told nothing of what happens to ours', async () => {
      const lists = routes.filter(
        route => privateCalls[route].answer.kind === 'list' && !route.includes('/:'),
      );
      const calls = lists.map(route => `call=${pathOf(route, theirs.things)}`);
      const streams = [
        ...(await Promise.all([open(`/live?${calls.slice(0, 16).join('&')}`), open('/live/events')])),
        ...(await Promise.all(calls.slice(16).map(call => open(`/live?${call}`)))),
      ];
      const ourEvent = await happen(ours);
      const theirEvent = await happen(theirs);
      const told = () => streams.flatMap(({ received }) => received.map(({ data }) => data)).join('\n');
      await until(
        () => told().includes(`"id":"${theirEvent}"`) && told().includes(`renamed ${theirEvent}`),
        'Their own streams say nothing of theirs.',
      );
      for (const stream of streams) stream.close();
      const leaked = [ourEvent, ours.things.word, ours.orgId].filter(text => told().includes(text));
      expect(leaked).toEqual([]);
      await settled(ours.owner, ourEvent);
      before = await ourRows();
    });

    describe('ours in the path is 404', () => {
      for (const route of routes.filter(isAbout)) {
        test(route, async () => {
          const answer = await expectAsIfAbsent(things => privateRequest(route, things, theirs.things));
          expect(answer).toMatch(/^404 .*"not_found"/);
        });
      }
    });

    test('at the address of ours, every call says that they belong to no such organisation', async () => {
      const inOurs = (route: Route, things: Things) =>
        ask(privateRequest(route, things, things, ours.things.slug));
      const refusal = (slug: string) =>
        `404 ${JSON.stringify({ error: { message: `You are not a member of any organisation at /o/${slug}.`, code: 'not_found' } })}`;
      for (const route of routes) {
        if (callCases[route].least !== 'anyone')
          expect(await inOurs(route, ours.things), route).toBe(refusal(ours.things.slug));
        // Those without a session belong nowhere: it is answered as anywhere else.
        else
          expect(await inOurs(route, nobodys), route).toBe(
            await ask(privateRequest(route, nobodys, nobodys)),
          );
      }
      const nowhere = privateRequest('GET /keys', nobodys, nobodys, nobodys.slug);
      expect(await ask(nowhere)).toBe(refusal(nobodys.slug));
    });

    test('what they read of their own holds nothing of ours', async () => {
      const reads = routes.filter(
        route =>
          route.startsWith('GET ') && callCases[route].least !== 'anyone' && !route.startsWith('GET /live'),
      );
      for (const route of reads) {
        const answer = await ask(privateRequest(route, theirs.things, theirs.things));
        expect(answer, route).toStartWith(callCases[route].isOperators ? '403 ' : '200 ');
      }
    });

    test('an invitation of ours is 404 among their members', async () => {
      for (const method of ['GET', 'DELETE']) {
        const answer = await expectAsIfAbsent(({ invitation }) => ({
          method,
          path: `/dashboard/api/members/${invitation}`,
        }));
        expect(answer).toMatch(/^404 .*"not_found"/);
      }
    });

    describe('ours in the query is as if there were none', () => {
      for (const route of routes) {
        const { query } = privateCalls[route] as { query?: z.ZodType };
        if (!(query instanceof z.ZodObject) || route.startsWith('GET /live')) continue;
        const names = Object.keys(query.shape).filter(name => name !== 'limit' && name !== 'cursor');
        if (route === 'GET /entities') names.push('trait.word');
        if (names.length === 0) continue;
        test(`${route} by ${names.join(', ')}`, async () => {
          for (const name of names) {
            for (const [which] of textsOf(ours.things)) {
              await expectAsIfAbsent(things => {
                const [, text = ''] = textsOf(things).find(([one]) => one === which) ?? [];
                const value = name === 'entity' ? text.replace('/', ':') : text;
                const asked = privateRequest(route, theirs.things, theirs.things);
                const [path = ''] = asked.path.split('?');
                return { ...asked, path: path + queryOf({ ...callCases[route].query, [name]: value }) };
              });
            }
          }
        });
      }
    });

    describe('a cursor of ours does not go on in a list of theirs', () => {
      for (const route of routes.filter(one => privateCalls[one].answer.kind === 'list')) {
        test(route, async () => {
          const { next_cursor } = listOf(await ours.owner.get(`${pathOf(route, ours.things)}?limit=1`));
          expect(next_cursor, 'the first page of ours goes on').toBeString();
          const query = queryOf({ limit: '1', cursor: next_cursor ?? '' });
          const path = `/dashboard/api${pathOf(route, theirs.things)}${query}`;
          expect(await ask({ method: 'GET', path })).toMatch(
            /^400 .*"code":"invalid_cursor","path":"cursor"/,
          );
        });
      }
    });

    test('a stream that follows calls is refused each that asks for ours', async () => {
      const paths = routes
        .filter(route => route.startsWith('GET ') && isAbout(route) && !isStream(route))
        .map(route => [pathOf(route, ours.things), pathOf(route, nobodys)] as const);
      for (const [asked, absent] of paths) {
        const stream = await openStream(service.url, theirs.owner, `/live?call=${asked}&call=${absent}`);
        const answers = await Promise.all(
          [asked, absent].map(path => stream.next(({ data }) => data.includes(`"call":"${path}"`))),
        );
        stream.close();
        const [first, second] = answers.map(({ event, data }, n) =>
          likeness(`${event} ${data}`, n === 0 ? ours.things : nobodys),
        );
        expect(first ?? '', asked).toBe(second ?? '');
      }
      expect(paths.length).toBeGreaterThan(10);
      const [there, nowhere] = [ours.things, nobodys].map(({ slug }) => `/o/${slug}/keys`);
      const stream = await openStream(service.url, theirs.owner, `/live?call=${there}&call=${nowhere}`);
      for (const path of [there, nowhere]) {
        const { event, data } = await stream.next(one => one.data.includes(`"call":"${path}"`));
        expect(`${event} ${data}`).toMatch(
          /^refused .*"status":404,.*You are not a member of any organisation/,
        );
      }
      stream.close();
    });

    test('an export with ours in its filter holds what one for nobody holds', async () => {
      const filterOf = (things: Things) => {
        const { filter } = (callCases['POST /exports'].body?.(things) ?? {}) as {
          filter: Readonly<Record<string, string>>;
        };
        return filter;
      };
      const begin = async (name: string, things: Things, format: string): Promise<string> => {
        const body = { filter: { [name]: filterOf(things)[name] }, format };
        return dataOf<{ id: string }>(await theirs.owner.post('/exports', body)).id;
      };
      const fileOf = async (id: string): Promise<string> => {
        await until(
          async () => dataOf<JobRecord>(await theirs.owner.get(`/jobs/${id}`)).file !== undefined,
          'An export does not end.',
        );
        return ask({ method: 'GET', path: `/dashboard/api/jobs/${id}/file` });
      };
      // An organisation has two at a time.
      for (const [n, name] of Object.keys(filterOf(ours.things)).entries()) {
        const format = exportFormat.options[n % exportFormat.options.length] ?? '';
        const ids: string[] = [];
        for (const things of [ours.things, nobodys]) ids.push(await begin(name, things, format));
        const [asked = '', absent = ''] = await Promise.all(ids.map(fileOf));
        expect(asked, name).toBe(absent);
      }
      for (const name of ['type', 'entity'])
        expect(await fileOf(await begin(name, theirs.things, 'ndjson')), 'theirs are found').toContain(
          theirs.things.word,
        );
    });

    describe('ours in the body is as if there were none', () => {
      const naming = routes.filter(route => {
        const [one, other] = [ghosts(), ghosts()].map(things =>
          JSON.stringify(callCases[route].body?.(things)),
        );
        return one !== other;
      });
      for (const route of naming) {
        test(route, async () => {
          const answer = await expectAsIfAbsent(async things => {
            const asked = privateRequest(route, theirs.things, things);
            const body = await basedBody(route, asked.body, async (first, part) => {
              const based = await ask({ ...privateRequest(first, theirs.things, things), body: part });
              return JSON.parse(based.slice('200 '.length)).data;
            });
            return { ...asked, body };
          });
          if (callCases[route].basedOn) expect(answer).toMatch(/^200 .*"created":3,"changed":0,/);
        });
      }

      test('and that was tried', () => expect(naming.length).toBeGreaterThan(5));
    });

    describe('of a public call', () => {
      for (const { operation, known } of publicCalls()) {
        const { method, path } = operation;
        test(`${method.toUpperCase()} ${path}`, async () => {
          const requestFor = (things: Things) => ({
            method: method.toUpperCase(),
            path: publicPathOf(path, things),
            ...(known.body ? { body: known.body(things) } : {}),
            headers: known.headers?.(things) ?? {},
          });
          if (known.isOpenByPath) expect(await ask(requestFor(ours.things))).toMatch(/^401 /);
          // A list of everything names nothing, and is looked through for what is ours.
          else if (path.includes('{') || known.body) await expectAsIfAbsent(requestFor);
          else await ask(requestFor(ours.things));
        });
      }

      const [connect, report, shake] = undescribedCalls;
      const requestOf = (call: UndescribedCall | undefined, things: Things): Asked => {
        if (call === undefined) return expect.unreachable();
        const { method, path, query, body, headers } = call;
        return {
          method,
          path: path(things) + queryOf(query?.(things) ?? {}),
          ...(body ? { body: body(things) } : {}),
          headers: headers(things),
        };
      };
      const holding = (held: Partial<Things['held']>): Things => ({
        ...ours.things,
        held: { ...ours.things.held, ...held },
      });
      const listen = (things: Things) =>
        fetch(service.url + requestOf(connect, things).path, {
          headers: requestOf(connect, things).headers ?? {},
        });

      test('a listener of ours is connected to, and answered for, with its own token alone', async () => {
        const [theirSecret] = theirs.things.held.listener.split('.');
        const [, ourAddress] = ours.things.held.listener.split('.');
        const forged = holding({ listener: `${theirSecret}.${ourAddress}` });
        expect(await ask(requestOf(connect, forged))).toMatch(/^401 .*"unauthenticated"/);

        const response = await listen(ours.things);
        expect(response.status).toBe(200);
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        const { value = '' } = (await reader?.read()) ?? {};
        const { connection, destination } = listenReady.parse(
          JSON.parse(/^data: (.*)$/m.exec(value)?.[1] ?? ''),
        );
        const asked = (listener: string) => requestOf(report, holding({ connection, listener }));
        for (const listener of [theirs.things.held.listener, forged.held.listener])
          expect(await ask(asked(listener))).toMatch(/^401 .*"unauthenticated"/);
        // Nobody waits for that delivery, but whoever asks is the one that is connected.
        expect(await ask(asked(ours.things.held.listener))).toBe('200 {"data":{"taken":false}}');
        await reader?.cancel();
        await until(async () => {
          const found = await service.engine.configuration.findDestination(ours.orgId, destination.id);
          return found?.listenerToken === null;
        }, 'Our listener is still connected.');
      });

      test('a handshake at ours takes what was agreed on there', async () => {
        expect(await ask(requestOf(shake, holding({ agreed: theirs.things.held.agreed })))).toMatch(
          /^401 .*"unauthenticated"/,
        );
        expect(await ask(requestOf(shake, ours.things))).toBe(`200 ${ours.things.word}`);
      });

      test('a cursor of ours is refused', async () => {
        for (const { operation } of publicCalls()) {
          if (!operation.parameters.some(({ name }) => name === 'cursor')) continue;
          const path = publicPathOf(operation.path, ours.things);
          const page = await fetch(`${service.url}${path}?limit=1`, {
            headers: { Authorization: `Bearer ${ours.apiKey}` },
          });
          const { next_cursor } = (await page.json()) as { next_cursor: string | null };
          expect(next_cursor, `the first page of ${path} goes on`).toBeString();
          const asked = `${publicPathOf(operation.path, theirs.things)}${queryOf({ cursor: next_cursor ?? '' })}`;
          expect(await ask({ method: 'GET', path: asked })).toMatch(/^400 .*"invalid_cursor"/);
        }
      });
    });

    test('and nothing of ours has changed', async () => {
      expect(before.length).toBeGreaterThan(40);
      expect(await ourRows()).toEqual(before);
    });
  });
}

const queryOf = (parameters: Readonly<Record<string, string>>): string => {
  const text = new URLSearchParams(parameters).toString();
  return text === '' ? '' : `?${text}`;
};
