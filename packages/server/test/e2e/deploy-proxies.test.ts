import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PASSWORD, setUp } from '../support/dashboard.ts';
import { acceptedIds, storedEvents, toAnswer } from '../support/endpoints.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type RunningProxy, startCaddy, startNginx } from '../support/proxies.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const folder = join(import.meta.dir, '../../../../deploy/proxies');
const MIB = 1024 * 1024;

const proxies = {
  Caddy: (url: string) => startCaddy([url]),
  nginx: (url: string) => startNginx(url),
};

for (const [name, startProxy] of Object.entries(proxies)) {
  describe(`behind ${name}, as deploy/proxies has it`, () => {
    let service: TestService;
    let seed: Seed;
    let proxy: RunningProxy;
    beforeAll(async () => {
      service = await startTestService({ settings: { SLUICE_TRUST_PROXY: 'true' } });
      await setUp(service);
      seed = await seedOrganisation(service.engine);
      proxy = await startProxy(service.url);
    });
    afterAll(async () => {
      await proxy?.stop();
      await service.stop();
    });

    const ask = (path: string, init: BunFetchRequestInit = {}) =>
      fetch(`${proxy.url}${path}`, { ...init, tls: { ca: proxy.ca }, redirect: 'manual' });
    const send = (body: string) =>
      ask('/v1/ingest', {
        method: 'POST',
        body,
        headers: { Authorization: `Bearer ${seed.apiKey}`, 'Content-Type': 'application/json' },
      });
    const logIn = (headers: Record<string, string> = {}) =>
      ask('/dashboard/api/session', {
        method: 'POST',
        headers: { 'X-Sluice-CSRF': '1', 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({ email: 'owner@example.com', password: PASSWORD }),
      });
    const sessionOf = (answer: Response): string => answer.headers.get('set-cookie')?.split(';')[0] ?? '';

    test('bodies as large as Sluice takes are taken, and it is Sluice that refuses larger ones', async () => {
      const batch = (bytes: number) => {
        const payload = { text: 'x'.repeat(bytes / 5) };
        return JSON.stringify({ events: Array.from({ length: 5 }, () => ({ type: 'large', payload })) });
      };
      expect((await send(batch(4.9 * MIB))).status).toBe(202);
      const refused = await send(batch(5.1 * MIB));
      expect([refused.status, await refused.json()]).toMatchObject([
        413,
        { error: { code: 'payload_too_large' } },
      ]);
    });

    test('a page follows what comes in while its stream is open', async () => {
      const abort = new AbortController();
      const stream = await ask('/dashboard/api/live?call=/sources', {
        headers: { Accept: 'text/event-stream', Cookie: sessionOf(await logIn()) },
        signal: abort.signal,
      });
      expect(stream.headers.get('content-type')).toBe('text/event-stream');
      let received = '';
      const reading = (async () => {
        const decoder = new TextDecoder();
        for await (const chunk of stream.body ?? []) received += decoder.decode(chunk as Uint8Array);
      })().catch(() => undefined);
      await until(() => received.includes('event: answer'), 'the first answer is held back');
      expect(received).not.toContain('Announced');
      const made = await ask('/dashboard/api/sources', {
        method: 'POST',
        headers: {
          'X-Sluice-CSRF': '1',
          'Content-Type': 'application/json',
          Cookie: sessionOf(await logIn()),
        },
        body: JSON.stringify({ kind: 'webhook', name: 'Announced', auth: 'none' }),
      });
      expect(made.status).toBe(201);
      await until(() => received.includes('Announced'), 'a change is held back');
      abort.abort();
      await reading;
    });

    test('a session over TLS has the cookie that no other host can set', async () => {
      expect((await logIn()).headers.get('set-cookie')).toMatch(/^__Host-sluice_session=.*;\s*Secure/i);
    });

    test('the address of whoever asks is the one that the proxy saw, whatever was sent to it', async () => {
      const forged = {
        'X-Forwarded-For': '203.0.113.7',
        'X-Forwarded-Proto': 'http',
        Forwarded: 'for=203.0.113.7',
      };
      const session = await logIn(forged);
      expect(session.headers.get('set-cookie')).toStartWith('__Host-');
      const sessions = await ask('/dashboard/api/account/sessions', {
        headers: { Cookie: sessionOf(session) },
      });
      const { data } = (await sessions.json()) as { data: { current: boolean; address: string }[] };
      const [own] = data.filter(({ current }) => current);
      expect(own?.address).toMatch(/^(127\.0\.0\.1|::1)$/);
    });

    test('the id of an entity keeps the characters that it has', async () => {
      const id = 'a/b c%3F?ü;';
      const path = `/v1/entities/customer/${encodeURIComponent(id)}`;
      const put = await ask(path, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${seed.apiKey}`, 'Content-Type': 'application/json' },
        body: '{"traits":{}}',
      });
      expect([put.status, await put.json()]).toMatchObject([201, { data: { external_id: id } }]);
    });

    test('health and metrics are for those who ask the node itself', async () => {
      for (const path of ['/metrics', '/healthz', '/readyz']) {
        expect([path, (await ask(path)).status]).toEqual([path, 404]);
        expect([path, (await fetch(`${service.url}${path}`)).status]).toEqual([path, 200]);
      }
    });

    if (name === 'nginx') {
      test('plain HTTP is sent on to TLS, with its method and body', async () => {
        const answer = await fetch(`${proxy.plainUrl}/v1/ingest?a=1`, { method: 'POST', redirect: 'manual' });
        expect([answer.status, answer.headers.get('location')]).toEqual([
          308,
          'https://localhost/v1/ingest?a=1',
        ]);
      });
    }
  });
}

describe('two nodes on PostgreSQL behind Caddy, as compose.cluster.yaml has them', () => {
  test('when one goes away the other takes everything, and what was accepted is there', async () => {
    const database = await freshDatabase();
    const settings = { SLUICE_DATABASE_URL: database.url, SLUICE_TRUST_PROXY: 'true' };
    const stays = await startTestService({ settings });
    const goes = await startTestService({ settings });
    const { apiKey, orgId } = await seedOrganisation(stays.engine);
    const proxy = await startCaddy([stays.url, goes.url]);
    const accepted: string[] = [];
    const send = async (): Promise<number> => {
      const answer = await fetch(`${proxy.url}/v1/ingest`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ events: [{ type: 'kept' }] }),
        tls: { ca: proxy.ca },
      });
      if (answer.status === 202) accepted.push(...acceptedIds(await toAnswer(answer)));
      return answer.status;
    };
    for (let n = 0; n < 10; n++) expect(await send()).toBe(202);
    await goes.stop();
    // Until Caddy has noticed; senders try a 502 again.
    const seen = new Set<number>();
    const takesTwenty = async () => {
      for (let n = 0; n < 20; n++) {
        const status = await send();
        seen.add(status);
        if (status !== 202) return false;
      }
      return true;
    };
    await until(takesTwenty, 'the node that is left is not used');
    expect([...seen].filter(status => status !== 202 && status !== 502)).toEqual([]);
    const stored = (await storedEvents(stays.engine, orgId)).map(({ id }) => id);
    expect(accepted.filter(id => !stored.includes(id))).toEqual([]);
    await proxy.stop();
    await stays.stop();
    await database.drop();
  });
});

describe('Traefik’s configuration, which is not run here,', () => {
  const read = (file: string): unknown => Bun.YAML.parse(readFileSync(join(folder, file), 'utf8'));
  const entryPoint = z.strictObject({
    address: z.string(),
    http: z
      .strictObject({
        redirections: z.strictObject({
          entryPoint: z.strictObject({ to: z.string(), scheme: z.literal('https') }),
        }),
        encodedCharacters: z.record(z.string().regex(/^allowEncoded[A-Z]\w+$/), z.boolean()),
      })
      .partial(),
  });
  const staticPart = z.strictObject({
    entryPoints: z.record(z.string(), entryPoint),
    certificatesResolvers: z.record(z.string(), z.object({ acme: z.object({ storage: z.string() }) })),
    providers: z.strictObject({ file: z.strictObject({ filename: z.string() }) }),
  });
  const routes = z.strictObject({
    http: z.strictObject({
      routers: z.record(
        z.string(),
        z.strictObject({
          entryPoints: z.array(z.string()),
          rule: z.string(),
          service: z.string(),
          tls: z.strictObject({ certResolver: z.string() }),
        }),
      ),
      services: z.record(
        z.string(),
        z.object({ loadBalancer: z.object({ servers: z.array(z.strictObject({ url: z.url() })) }) }),
      ),
    }),
  });

  test('names only entry points, services and resolvers that it has', () => {
    const { entryPoints, certificatesResolvers, providers } = staticPart.parse(read('traefik.yaml'));
    const { http } = routes.parse(read('traefik-routes.yaml'));
    for (const router of Object.values(http.routers)) {
      expect(router.entryPoints.filter(point => !(point in entryPoints))).toEqual([]);
      expect(http.services).toHaveProperty(router.service);
      expect(certificatesResolvers).toHaveProperty(router.tls.certResolver);
      for (const path of ['/metrics', '/healthz', '/readyz'])
        expect(router.rule).toContain(`!Path(\`${path}\`)`);
    }
    expect(entryPoints.websecure?.http.encodedCharacters?.allowEncodedSlash).toBe(true);
    expect(providers.file.filename).toEndWith('/traefik-routes.yaml');
  });
});
