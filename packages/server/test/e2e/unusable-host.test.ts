import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { NewSourceRecord, RejectionRecord } from '@sluice/contract/dashboard-sources';
import { type Browser, cookieOf, dataOf, listOf, PASSWORD, setUp } from '../support/dashboard.ts';
import { exchange, type RawAnswer } from '../support/raw-http.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Old health checkers leave the host out, and some senders write one that is none: each route answers as it always does. */

let service: TestService;
let owner: Browser;
let apiKey: string;
beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
  apiKey = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' })).secret;
});
afterAll(() => service.stop());

const right = 'HTTP/1.1\r\nHost: localhost';
const unusable = [
  'HTTP/1.0',
  'HTTP/1.0\r\nHost:',
  ...['', 'a:b:c', 'a b', 'a/b', 'a@b', 'x, y', '[', 'x:99999', '256.1.1.1', 'xn--', '%', 'é', '[::1'].map(
    host => `HTTP/1.1\r\nHost: ${host}`,
  ),
];

async function send(
  target: string,
  version: string,
  headers: readonly string[] = [],
  body = '',
): Promise<RawAnswer> {
  const lines = [`${target} ${version}`, ...headers, 'Content-Type: application/json'];
  return exchange(
    service.service.port,
    `${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

const shown = ({ status, headers, body }: RawAnswer) => ({
  status,
  type: headers.get('content-type'),
  allow: headers.get('allow'),
  // What is made differs by its id and its times; refusals are the same to the letter.
  error: status >= 400 ? JSON.parse(body).error : null,
});

const webhook = async (input: object) =>
  dataOf<NewSourceRecord & { token: string }>(
    await owner.post('/sources', { kind: 'webhook', name: 'hook', ...input }),
  );

test('every route answers as it does where the host is right', async () => {
  const key = [`Authorization: Bearer ${apiKey}`];
  const session = [`Cookie: ${cookieOf(owner)}`, 'X-Sluice-CSRF: 1'];
  const login = JSON.stringify({ email: 'owner@example.com', password: PASSWORD });
  const entity = JSON.stringify({ traits: { a: 1 } });
  const { token } = await webhook({ auth: 'none' });
  const meta = await webhook({
    auth: 'provider',
    provider: 'meta',
    secret: 's'.repeat(32),
    verify_token: 'v',
  });
  await send('PUT /v1/entities/c/3', right, key, entity);

  const requests: [status: number, target: string, headers?: readonly string[], body?: string][] = [
    [200, 'GET /healthz'],
    [200, 'GET /readyz'],
    [200, 'GET /metrics'],
    [404, 'GET /ab/metrics'],
    [404, 'GET //metrics'],
    [200, 'GET /ab/../metrics?x=1'],
    [200, 'GET /v1/openapi.json'],
    [200, 'GET /docs'],
    [401, 'GET /v1/entities'],
    [200, 'GET /v1/entities?limit=1', key],
    [400, 'GET /v1/entities?limit=0', key],
    [200, 'GET /v1/entities/c/3', key],
    [404, 'GET /v1/entities/c/4', key],
    [200, 'PUT /v1/entities/c/3', key, entity],
    [405, 'POST /v1/entities/c/3', key],
    [202, 'POST /v1/ingest', key, '{"events":[{"type":"a"}]}'],
    [405, 'GET /v1/ingest', key],
    [404, 'POST /v1/ingest/', key],
    [202, `POST /whk/${token}`, [], '{}'],
    [404, 'POST /whk/none', [], '{}'],
    [405, `GET /whk/${token}`],
    [200, `GET /whk/${meta.token}?hub.mode=subscribe&hub.verify_token=v&hub.challenge=c`],
    [401, `GET /whk/${meta.token}?hub.mode=subscribe&hub.verify_token=w&hub.challenge=c`],
    [200, 'POST /dashboard/api/session', ['X-Sluice-CSRF: 1'], login],
    [200, 'GET /dashboard/api/keys', session],
    [401, 'GET /dashboard/api/keys'],
    [404, 'GET /dashboard/api/none', session],
    [403, 'POST /dashboard/api/keys', [...session, 'Origin: http://elsewhere.example'], '{"name":"n"}'],
  ];
  for (const [status, target, headers, body] of requests) {
    const expected = shown(await send(target, right, headers, body));
    expect(expected.status, target).toBe(status);
    for (const version of unusable)
      expect(shown(await send(target, version, headers, body)), `${target} ${version}`).toEqual(expected);
  }
});

test('a refused webhook is on record, whoever sent it', async () => {
  const rate = { per_second: 0.001, burst: 1 };
  const spent = await webhook({ auth: 'none', rate });
  await send(`POST /whk/${spent.token}`, right, [], '{}');
  const twilio = { auth: 'provider', provider: 'twilio', secret: 't'.repeat(32) };
  const refusals: [status: number, code: string, source: { id: string; token: string }, header: string][] = [
    [401, 'unauthenticated', await webhook({ auth: 'hmac' }), `X-Ingest-Signature: ${'0'.repeat(64)}`],
    [401, 'unauthenticated', await webhook({ auth: 'bearer' }), 'Authorization: Bearer wrong'],
    // It signs the address that it sent to, which nobody knows here.
    [401, 'unauthenticated', await webhook(twilio), 'X-Twilio-Signature: wrong'],
    [415, 'unsupported_media_type', await webhook({ auth: 'none' }), 'Content-Encoding: br'],
    [429, 'rate_limited', spent, 'X-A: 1'],
  ];
  for (const [status, code, { id, token }, header] of refusals) {
    for (const version of unusable) {
      const answer = await send(`POST /whk/${token}`, version, [header], '{}');
      expect(answer.status, `${version}: ${answer.body}`).toBe(status);
    }
    const list = async () => listOf<RejectionRecord>(await owner.get(`/sources/${id}/rejections`)).data;
    await until(async () => (await list()).length >= unusable.length, 'the rejections are not on record');
    for (const rejection of await list()) expect(rejection).toMatchObject({ code, address: '127.0.0.1' });
  }
});
