import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { destinationKinds } from '../../src/delivery/destinations/registry.ts';
import { type Browser, dataOf, join, listOf, readAll, setUp, stranger } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Browser;

beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
});
afterAll(() => service.stop());

const webhook = (url: string, auth: object = { mode: 'none' }) => ({
  kind: 'webhook',
  name: 'Hook',
  config: { url, auth },
});

/** Public. Nothing is sent there: saving a webhook only looks at its address. */
const PUBLIC = 'https://1.1.1.1/hook';

describe('a destination is refused where its address', () => {
  const addresses = [
    ['is not HTTPS', 'http://1.1.1.1/hook'],
    ['is a file', 'file:///etc/passwd'],
    ['holds credentials', 'https://user:secret@1.1.1.1/hook'],
    ['is loopback', 'https://127.0.0.1/hook'],
    ['is loopback, written short', 'https://127.1/hook'],
    ['is loopback, in decimal', 'https://2130706433/hook'],
    ['is loopback, in hexadecimal', 'https://0x7f000001/hook'],
    ['is loopback, in octal', 'https://0177.0.0.1/hook'],
    ['is loopback, as IPv6', 'https://[::1]/hook'],
    ['is loopback, mapped into IPv6', 'https://[::ffff:127.0.0.1]/hook'],
    ['is private', 'https://10.1.2.3/hook'],
    ['is private, through NAT64', 'https://[64:ff9b::10.1.2.3]/hook'],
    ['is link-local', 'https://169.254.169.254/latest'],
    ['is unspecified', 'https://0.0.0.0/hook'],
    ['is a name of this machine', 'https://localhost/hook'],
  ] as const;
  for (const [what, url] of addresses) {
    test(what, async () => {
      const answer = await owner.post('/destinations', webhook(url));
      expectRefused(answer, { status: 400, code: 'validation_failed', path: 'config.url' });
      expect(JSON.stringify(answer.body)).not.toContain('secret');
    });
  }
});

describe('a destination is refused where its configuration', () => {
  const postgres = (over: object) => ({
    connection_string: 'postgres://user:secret@1.1.1.1/db',
    table: 'events',
    ...over,
  });
  const email = (over: object) => ({
    host: '1.1.1.1',
    port: 587,
    security: 'starttls',
    from: 'a@example.com',
    to: ['b@example.com'],
    ...over,
  });
  const configurations: [string, string, object][] = [
    ['names a table with quotes', 'postgres', postgres({ table: 'events"; drop table x' })],
    ['names a column with quotes', 'postgres', postgres({ columns: { 'id"': '$event.id' } })],
    ['points at a socket', 'postgres', postgres({ connection_string: 'postgres:///db?host=/var/run' })],
    [
      'points at a local file',
      'postgres',
      postgres({ connection_string: 'postgres://u@h/db?sslkey=/etc/x' }),
    ],
    [
      'points at a private database',
      'postgres',
      postgres({ connection_string: 'postgres://u:p@10.0.0.1/db' }),
    ],
    ['has a line break in the recipient', 'email', email({ to: ['b@example.com\r\nBcc: c@example.com'] })],
    ['has a line break in the sender', 'email', email({ from: 'a@example.com\r\nBcc: c@example.com' })],
    ['has a line break in the subject', 'email', email({ subject: 'Hello\r\nBcc: c@example.com' })],
    ['points at a private mail server', 'email', email({ host: '127.0.0.1' })],
    [
      'has a line break in a token',
      'webhook',
      { url: PUBLIC, auth: { mode: 'bearer', secret: 'a\r\nX: y' } },
    ],
    ['has a field that nobody knows', 'webhook', { url: PUBLIC, methd: 'PUT' }],
    ['has a template that cannot be read', 'slack', { url: PUBLIC, text: '{{ event.type' }],
    ['lacks what the kind needs', 'telegram', {}],
  ];
  for (const [what, kind, config] of configurations) {
    test(what, async () => {
      const answer = await owner.post('/destinations', { kind, name: 'x', config });
      expect(answer.status, JSON.stringify(answer.body)).toBe(400);
      expect((answer.body as { error: { path: string } }).error.path).toStartWith('config');
      expect(JSON.stringify(answer.body)).not.toContain('secret@');
    });
  }

  test('is of a kind that does not exist', async () => {
    const answer = await owner.post('/destinations', { kind: 'fax', name: 'x', config: {} });
    expectRefused(answer, { status: 400, code: 'validation_failed', path: 'kind' });
  });
});

describe('a secret', () => {
  test('that is made is answered once, and shown as set from then on', async () => {
    const made = dataOf<{ id: string; secret: string; config: object }>(
      await owner.post('/destinations', webhook(PUBLIC, { mode: 'hmac' })),
    );
    expect(made.secret).toStartWith('whsec_');
    const shown = { url: PUBLIC, auth: { mode: 'hmac', secret: { set: true } } };
    for (const path of [`/destinations/${made.id}`, '/destinations', '/audit']) {
      expect(JSON.stringify((await owner.get(path)).body)).not.toContain(made.secret);
    }
    expect(dataOf(await owner.get(`/destinations/${made.id}`)).config).toEqual(shown);

    const kept = await owner.patch(`/destinations/${made.id}`, { config: shown, name: 'Renamed' });
    expect(dataOf(kept)).toMatchObject({ name: 'Renamed', config: shown });
    expect(dataOf(kept)).not.toHaveProperty('secret');
    const stored = await service.engine.configuration.findDestination(
      dataOf<{ organisation: { id: string } }>(await owner.get('/session')).organisation.id,
      made.id,
    );
    expect(stored?.config).not.toContain(made.secret);

    const rotated = dataOf<{ secret: string }>(await owner.post(`/destinations/${made.id}/rotate`));
    expect(rotated.secret).not.toBe(made.secret);
  });

  test.each([
    [
      'webhook',
      { url: 'https://1.1.1.1/hook', auth: { mode: 'bearer', secret: 'canary' } },
      { url: 'https://1.1.1.1/other', auth: { mode: 'bearer', secret: { set: true } } },
      [
        { url: 'https://1.0.0.1/hook' },
        { url: 'https://1.1.1.1:8443/hook' },
        { url: 'http://1.1.1.1/hook' },
        { url: 'http://1.1.1.1:443/hook' },
      ],
    ],
    [
      'email',
      {
        host: '1.1.1.1',
        port: 587,
        security: 'starttls',
        user: 'u',
        password: 'canary',
        from: 'a@example.com',
        to: ['b@example.com'],
      },
      {
        host: '1.1.1.1',
        port: 587,
        security: 'starttls',
        user: 'u',
        password: { set: true },
        from: 'a@example.com',
        to: ['c@example.com'],
      },
      [{ host: '1.0.0.1' }, { port: 2525 }, { security: 'none' }],
    ],
    [
      'notion',
      { token: 'canary', database_id: 'd9824bdc84454327be8b5b47500af6ce', base_url: 'https://1.1.1.1:8443' },
      {
        token: { set: true },
        database_id: 'd9824bdc84454327be8b5b47500af6cf',
        base_url: 'https://1.1.1.1:8443/api',
      },
      [{ base_url: 'https://1.1.1.1' }, { base_url: undefined }],
    ],
  ] as [string, object, object, Record<string, unknown>[]][])(
    'is kept for the server it was given for, and asked for again for any other: %s',
    async (kind, config, kept, elsewhere) => {
      const { id } = dataOf<{ id: string }>(await owner.post('/destinations', { kind, name: kind, config }));
      const patch = (changed: object) => owner.patch(`/destinations/${id}`, { config: changed });
      expect((await patch(kept)).status).toBe(200);
      for (const change of elsewhere) {
        expectRefused(await patch({ ...kept, ...change }), {
          status: 400,
          code: 'validation_failed',
          path: `config.${Object.keys(change)[0]}`,
        });
      }
    },
  );

  test('cannot be kept where none was set', async () => {
    const answer = await owner.post(
      '/destinations',
      webhook(PUBLIC, { mode: 'bearer', secret: { set: true } }),
    );
    expectRefused(answer, { status: 400, code: 'validation_failed', path: 'config.auth.secret' });
  });
});

test('destinations are listed newest first, page by page, and each of its kind describes itself', async () => {
  const names = ['A', 'B', 'C'];
  for (const name of names) await owner.post('/destinations', { kind: 'inbox', name });
  const all = await readAll<{ name: string }>(owner, '/destinations?limit=2');
  expect(all.slice(0, 3).map(({ name }) => name)).toEqual(['C', 'B', 'A']);
  const kinds = dataOf<{ kind: string }[]>(await owner.get('/kinds/destinations')).map(({ kind }) => kind);
  expect(kinds).toEqual(destinationKinds.map(({ name }) => name));
});

describe('what is ours', () => {
  let destination = '';
  let theirs: Browser;
  let viewer: Browser;
  beforeAll(async () => {
    destination = dataOf<{ id: string }>(
      await owner.post('/destinations', { kind: 'inbox', name: 'Ours' }),
    ).id;
    theirs = await stranger(service.url, owner, 'stranger@example.com');
    viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  });
  const calls: [string, () => string, unknown?][] = [
    ['PATCH', () => `/destinations/${destination}`, { name: 'Theirs' }],
    ['POST', () => `/destinations/${destination}/pause`],
    ['POST', () => `/destinations/${destination}/resume`],
    ['POST', () => `/destinations/${destination}/rotate`, {}],
    ['POST', () => `/destinations/${destination}/test`],
    ['DELETE', () => `/destinations/${destination}`],
  ];
  for (const [method, path, body] of calls) {
    test(`is not there for others, nor may be changed by a viewer: ${method} ${path()}`, async () => {
      expectRefused(await theirs.send(method, path(), { body }), { status: 404, code: 'not_found' });
      expect((await viewer.send(method, path(), { body })).status).toBe(403);
    });
  }

  test('is neither read nor listed by others, and is still there', async () => {
    expect((await theirs.get(`/destinations/${destination}`)).status).toBe(404);
    expect(listOf(await theirs.get('/destinations')).data).toEqual([]);
    expect(listOf(await theirs.get('/deliveries')).data).toEqual([]);
    expect(dataOf(await viewer.get(`/destinations/${destination}`))).toMatchObject({
      name: 'Ours',
      paused: false,
    });
    expect((await viewer.post('/destinations', { kind: 'inbox', name: 'x' })).status).toBe(403);
    expect((await viewer.post('/dead-letters/retry', {})).status).toBe(403);
  });
});
