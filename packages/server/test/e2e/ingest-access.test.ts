import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { newId } from '../../src/core/ids.ts';
import { hashSecret, newSecret } from '../../src/core/secrets/vault.ts';
import {
  acceptedIds,
  expectRefused,
  ingestWith,
  post,
  storedEvents,
  toAnswer,
} from '../support/endpoints.ts';
import { exchange, openSocket, readAnswer } from '../support/raw-http.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let seed: Seed;

beforeAll(async () => {
  service = await startTestService();
  seed = await seedOrganisation(service.engine);
});
afterAll(() => service.stop());

const body = '{"events":[{"type":"a"}]}';
const unauthenticated = { status: 401, code: 'unauthenticated' };

describe('who may come in', () => {
  const wrongHeaders: [string, (key: string) => Record<string, string>][] = [
    ['no key', () => ({})],
    ['an empty header', () => ({ Authorization: '' })],
    ['a wrong key', () => ({ Authorization: `Bearer ${newSecret('sk')}` })],
    ['a key with its last character cut', key => ({ Authorization: `Bearer ${key.slice(0, -1)}` })],
    ['a key with a character too many', key => ({ Authorization: `Bearer ${key}x` })],
    ['a key in capitals', key => ({ Authorization: `Bearer ${key.toUpperCase()}` })],
    ['the word Bearer alone', () => ({ Authorization: 'Bearer' })],
    ['Bearer and blanks', () => ({ Authorization: 'Bearer   ' })],
    ['a key without Bearer', key => ({ Authorization: key })],
    ['Basic', key => ({ Authorization: `Basic ${btoa(`${key}:`)}` })],
    ['Basic with the key as it is', key => ({ Authorization: `Basic ${key}` })],
    ['the key in another header', key => ({ 'X-Api-Key': key })],
  ];
  const seen = new Set<string>();
  for (const [name, headers] of wrongHeaders) {
    test(`refuses ${name} with the same words as any other`, async () => {
      const answer = await post(`${service.url}/v1/ingest`, body, headers(seed.apiKey));
      expectRefused(answer, unauthenticated);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      seen.add(JSON.stringify(answer.body));
      expect(seen.size).toBe(1);
      expect(JSON.stringify(answer.body)).not.toContain(seed.apiKey.slice(3, 12));
      expect(await storedEvents(service.engine, seed.orgId)).toEqual([]);
    });
  }

  test('refuses a key the moment it is revoked, with the words of a wrong one', async () => {
    const other = await seedOrganisation(service.engine);
    const ingest = ingestWith(service.url, other.apiKey);
    expect((await ingest(body)).status).toBe(202);
    const [key] = await service.engine.configuration.listApiKeys(other.orgId);
    await service.engine.configuration.revokeApiKey(other.orgId, key?.id ?? '', Date.now());

    const refused = await ingest(body);
    expectRefused(refused, unauthenticated);
    const wrong = await ingestWith(service.url, 'sk_wrong')(body);
    expect(refused.body).toEqual(wrong.body);
    expect(await storedEvents(service.engine, other.orgId)).toHaveLength(1);
  });

  test('asks for the key before it looks at anything else', async () => {
    const answer = await post(`${service.url}/v1/ingest`, 'x'.repeat(6 * 1024 * 1024), {
      'Content-Type': 'text/plain',
      'X-Ingest-Idempotency-Key': '',
    });
    expectRefused(answer, unauthenticated);
  });

  test('takes the scheme in any case, as HTTP says', async () => {
    const other = await seedOrganisation(service.engine);
    const answer = await post(`${service.url}/v1/ingest`, body, { Authorization: `bEARER  ${other.apiKey}` });
    expect(answer.status).toBe(202);
  });

  test('keeps what a key brings in its own organisation', async () => {
    const [here, there] = [await seedOrganisation(service.engine), await seedOrganisation(service.engine)];
    const [id = ''] = acceptedIds(await ingestWith(service.url, here.apiKey)(body));
    expect(await storedEvents(service.engine, there.orgId)).toEqual([]);
    expect(await service.engine.journal.findEvent(there.orgId, id)).toBeNull();
    expect(await service.engine.journal.findEvent(here.orgId, id)).not.toBeNull();
  });

  test('lets every key of an organisation in', async () => {
    const org = await seedOrganisation(service.engine);
    const second = newSecret('sk');
    await service.engine.configuration.createApiKey({
      id: newId('key'),
      orgId: org.orgId,
      name: 'second',
      prefix: second.slice(0, 8),
      hash: hashSecret(second),
      createdAt: Date.now(),
      lastUsedAt: null,
      revokedAt: null,
    });
    await ingestWith(service.url, org.apiKey)(body);
    await ingestWith(service.url, second)(body);
    expect(await storedEvents(service.engine, org.orgId)).toHaveLength(2);
  });
});

describe('methods and routes', () => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    test(`answers ${method} with 405 that offers POST`, async () => {
      const sent = await fetch(`${service.url}/v1/ingest`, {
        method,
        headers: { Authorization: `Bearer ${seed.apiKey}` },
      });
      const answer = await toAnswer(sent);
      expectRefused(answer, { status: 405, code: 'method_not_allowed' });
      expect(answer.headers.get('allow')).toBe('POST');
    });
  }

  test('answers HEAD with 405 and no body', async () => {
    const response = await fetch(`${service.url}/v1/ingest`, { method: 'HEAD' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.text()).toBe('');
  });

  const nowhere = [
    '/v1/ingest/',
    '/v1/ingest/x',
    '/v1/Ingest',
    '/v2/ingest',
    '/v1',
    '/ingest',
    '/v1//ingest',
  ];
  for (const path of nowhere) {
    test(`answers POST ${path} with 404 in the envelope`, async () => {
      const answer = await ingestWith(service.url, seed.apiKey)(body);
      expect(answer.status).toBe(202);
      const elsewhere = await post(`${service.url}${path}`, body, { Authorization: `Bearer ${seed.apiKey}` });
      expectRefused(elsewhere, { status: 404, code: 'not_found' });
    });
  }

  test('takes no notice of a query string', async () => {
    const headers = { Authorization: `Bearer ${seed.apiKey}` };
    expect((await post(`${service.url}/v1/ingest?x=1`, body, headers)).status).toBe(202);
  });

  test('goes on after something that is no HTTP', async () => {
    const noise = ['BREW /v1/ingest HTTP/1.1\r\nHost: x\r\n\r\n', '\x16\x03\x01\x02', 'GET\r\n\r\n'];
    for (const bytes of noise) {
      const socket = await openSocket(service.service.port);
      socket.end(bytes);
      await new Promise(resolve => socket.on('close', resolve).resume());
    }
    expect((await ingestWith(service.url, seed.apiKey)(body)).status).toBe(202);
  });

  test('says 404 in the envelope for a path with a broken escape or a NUL', async () => {
    for (const path of ['/v1/%zz', '/v1/%00', '/%ff']) {
      const { status, body: text } = await exchange(
        service.service.port,
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`,
      );
      expect(status).toBe(404);
      expect(JSON.parse(text).error.code).toBe('not_found');
    }
  });
});

test('what a refused request carries is never taken for the next one', async () => {
  const org = await seedOrganisation(service.engine);
  const inside = `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${org.apiKey}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const carrying = (line: string, ...headers: string[]) =>
    [line, 'Host: x', `Content-Length: ${inside.length}`, ...headers, '', inside].join('\r\n');
  const refused: [number, string][] = [
    [401, carrying('POST /v1/ingest HTTP/1.1')],
    [
      415,
      carrying('POST /v1/ingest HTTP/1.1', `Authorization: Bearer ${org.apiKey}`, 'Content-Type: text/plain'),
    ],
    [405, carrying('PUT /v1/ingest HTTP/1.1')],
    [404, carrying('POST /whk/nope HTTP/1.1')],
  ];
  for (const [status, bytes] of refused) {
    const socket = await openSocket(service.service.port);
    socket.write(bytes);
    expect((await readAnswer(socket)).status).toBe(status);
    socket.removeAllListeners('data');
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await readAnswer(socket)).body).toBe('{"data":{"status":"alive"}}');
    socket.destroy();
  }
  expect(await storedEvents(service.engine, org.orgId)).toEqual([]);
});
