import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { hours } from '../../src/core/clock.ts';
import { createVault, newSecret } from '../../src/core/secrets/vault.ts';
import {
  acceptedId,
  expectRefused,
  post,
  sign,
  storedEvents,
  storedPayload,
  toAnswer,
} from '../support/endpoints.ts';
import { exchange, openSocket, readAnswer } from '../support/raw-http.ts';
import {
  type Seed,
  type SeededSource,
  seedOrganisation,
  startTestService,
  TEST_SECRET_KEY,
  type TestService,
} from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let now = Date.now() - hours(24);

beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } });
});
afterAll(() => service.stop());

const unauthenticated = { status: 401, code: 'unauthenticated' };
const body = '{ "type": "a",  "n": 1.0 }';
const stored = async (seed: Seed) => (await storedEvents(service.engine, seed.orgId)).length;
const urlOf = (source: { token: string }) => `${service.url}/whk/${source.token}`;

describe('the token', () => {
  test('unknown: 404 in the envelope, whatever else is wrong', async () => {
    for (const token of ['nope', newSecret('whk'), 'a%2Fb', '%00', 'x'.repeat(2_000)]) {
      const answer = await post(`${service.url}/whk/${token}`, '{', { 'Content-Type': 'text/plain' });
      expectRefused(answer, { status: 404, code: 'not_found' });
    }
  });

  test('with its case changed, or something added, is another one', async () => {
    const seed = await seedOrganisation(service.engine);
    const { token } = await seed.source('none');
    for (const other of [token.toUpperCase(), `${token}x`, token.slice(0, -1), `${token}/`, `${token}/x`]) {
      expectRefused(await post(`${service.url}/whk/${other}`, body), { status: 404, code: 'not_found' });
    }
    expect(await stored(seed)).toBe(0);
  });

  test('missing: 404', async () => {
    for (const path of ['/whk', '/whk/']) {
      expectRefused(await post(service.url + path, body), { status: 404, code: 'not_found' });
    }
  });

  test('only POST: 405 that offers it, before the token is looked at', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await toAnswer(await fetch(`${service.url}/whk/nope`, { method }));
      expectRefused(answer, { status: 405, code: 'method_not_allowed' });
      expect(answer.headers.get('allow')).toBe('POST');
    }
    const head = await fetch(`${service.url}/whk/nope`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([405, '']);
  });

  test('of a source that was deleted: 404 at once', async () => {
    const seed = await seedOrganisation(service.engine);
    const source = await seed.source('none');
    expect((await post(urlOf(source), body)).status).toBe(202);
    await service.engine.configuration.deleteSource(seed.orgId, source.id, 'ada', Date.now());
    expectRefused(await post(urlOf(source), body), { status: 404, code: 'not_found' });
  });
});

describe('hmac', () => {
  let seed: Seed;
  let source: SeededSource;
  beforeAll(async () => {
    seed = await seedOrganisation(service.engine);
    source = await seed.source('hmac');
  });
  const send = (signature: string, sent = body) =>
    post(urlOf(source), sent, { 'X-Ingest-Signature': signature });

  const right = () => sign(source.secret, body);
  const wrong: [string, () => string][] = [
    ['empty', () => ''],
    ['short', () => right().slice(0, -1)],
    ['long', () => `${right()}0`],
    ['in capitals', () => right().toUpperCase()],
    ['prefixed', () => `sha256=${right()}`],
    ['timestamped', () => `t=1700000000,v1=${right()}`],
    ['in base64', () => Buffer.from(right(), 'hex').toString('base64')],
    ['no hex', () => 'g'.repeat(64)],
    ['of another secret', () => sign('another', body)],
    ['of another source’s token', () => sign(source.token, body)],
    ['of a re-serialised body', () => sign(source.secret, JSON.stringify(JSON.parse(body)))],
    ['of the body and a line break', () => sign(source.secret, `${body}\n`)],
    ['of no body', () => sign(source.secret, '')],
    ['all zeros', () => '0'.repeat(64)],
    ['twice', () => `${right()}, ${right()}`],
  ];
  for (const [name, signature] of wrong) {
    test(`a signature ${name} is 401`, async () => {
      const answer = await send(signature());
      expectRefused(answer, unauthenticated);
      expect(answer.headers.get('www-authenticate')).not.toBeNull();
      expect(await stored(seed)).toBe(0);
    });
  }

  test('no signature, or the secret as bearer, is 401', async () => {
    expectRefused(await post(urlOf(source), body), unauthenticated);
    expectRefused(
      await post(urlOf(source), body, { Authorization: `Bearer ${source.secret}` }),
      unauthenticated,
    );
    expect(await stored(seed)).toBe(0);
  });

  test('no signature: 401 without reading the body', async () => {
    const socket = await openSocket(service.service.port);
    const answer = readAnswer(socket);
    socket.write(`POST /whk/${source.token} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{`);
    expect((await answer).status).toBe(401);
    socket.destroy();
  });

  test('a bad signature and bad JSON: 401 first', async () => {
    expectRefused(await send('0'.repeat(64), '{'), unauthenticated);
    const answer = await post(urlOf(source), '{', {
      'X-Ingest-Signature': '0'.repeat(64),
      'Content-Type': 'text/plain',
      'X-Ingest-Idempotency-Key': '',
    });
    expectRefused(answer, unauthenticated);
  });

  test('a well-formed signature over a body past the limit: 413, since it cannot be verified', async () => {
    const answer = await send('0'.repeat(64), 'x'.repeat(5 * 1024 * 1024 + 1));
    expectRefused(answer, { status: 413, code: 'payload_too_large' });
    expect(await stored(seed)).toBe(0);
  });

  test('the right signature lets the bytes in as they are', async () => {
    const id = acceptedId(await send(right()));
    expect(await storedPayload(service.engine, seed.orgId, id)).toBe(body);
    expect((await service.engine.journal.findEvent(seed.orgId, id))?.sources).toEqual([
      { id: source.id, name: 'hmac source' },
    ]);
  });

  test('the signature covers the bytes as received, before decompression', async () => {
    const zipped = gzipSync(body);
    const headers = (signature: string) => ({ 'Content-Encoding': 'gzip', 'X-Ingest-Signature': signature });
    expectRefused(await post(urlOf(source), zipped, headers(right())), unauthenticated);
    const id = acceptedId(await post(urlOf(source), zipped, headers(sign(source.secret, zipped))));
    expect(await storedPayload(service.engine, seed.orgId, id)).toBe(body);
  });

  test('a right signature of bad JSON is 400', async () => {
    expectRefused(await send(sign(source.secret, '{'), '{'), { status: 400, code: 'invalid_json' });
  });

  test('two secrets hold while one is being rotated, and only so long', async () => {
    const vault = createVault(TEST_SECRET_KEY);
    const rotated = await seed.source('hmac');
    const fresh = newSecret('whsec');
    const until = now + hours(24) - 1;
    const placeOf = (field: string) => ({ orgId: seed.orgId, id: rotated.id, field });
    await service.engine.configuration.updateSource(
      seed.orgId,
      rotated.id,
      {
        sealedSecret: vault.seal(fresh, placeOf('secret')),
        previousSealedSecret: vault.seal(rotated.secret, placeOf('previous_secret')),
        previousSecretUntil: until,
      },
      now,
    );
    const sendWith = (secret: string) =>
      post(urlOf(rotated), body, { 'X-Ingest-Signature': sign(secret, body) });
    expect([(await sendWith(fresh)).status, (await sendWith(rotated.secret)).status]).toEqual([202, 202]);
    expectRefused(await sendWith('neither'), unauthenticated);
    now = until;
    expect((await sendWith(fresh)).status).toBe(202);
    expectRefused(await sendWith(rotated.secret), unauthenticated);
  });
});

describe('bearer', () => {
  test('takes the source’s secret, and nothing else', async () => {
    const seed = await seedOrganisation(service.engine);
    const [source, other] = [await seed.source('bearer'), await seed.source('bearer')];
    const send = (Authorization: string) => post(urlOf(source), body, { Authorization });
    const wrong = [
      `Bearer ${source.token}`,
      `Bearer ${other.secret}`,
      `Bearer ${seed.apiKey}`,
      `Bearer ${source.secret}x`,
      `Basic ${btoa(`:${source.secret}`)}`,
      source.secret,
      'Bearer ',
    ];
    for (const header of wrong) expectRefused(await send(header), unauthenticated);
    const signed = await post(urlOf(source), body, { 'X-Ingest-Signature': sign(source.secret, body) });
    expectRefused(signed, unauthenticated);
    expect(await stored(seed)).toBe(0);
    expect((await send(`Bearer ${source.secret}`)).status).toBe(202);
    expect((await send(`bearer ${source.secret}`)).status).toBe(202);
  });

  test('is refused before the body is read', async () => {
    const seed = await seedOrganisation(service.engine);
    const source = await seed.source('bearer');
    const { status } = await exchange(
      service.service.port,
      `POST /whk/${source.token} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nContent-Length: 99999999\r\n\r\n`,
    );
    expect(status).toBe(401);
  });
});

describe('a disabled source', () => {
  test('is 403 before authentication, and open again once enabled', async () => {
    const seed = await seedOrganisation(service.engine);
    const source = await seed.source('hmac', undefined, false);
    const disabled = { status: 403, code: 'source_disabled' };
    expectRefused(await post(urlOf(source), '{', { 'Content-Type': 'text/plain' }), disabled);
    const headers = { 'X-Ingest-Signature': sign(source.secret, body) };
    expectRefused(await post(urlOf(source), body, headers), disabled);
    expect(await stored(seed)).toBe(0);
    await service.engine.configuration.updateSource(seed.orgId, source.id, { enabled: true }, now);
    expect((await post(urlOf(source), body, headers)).status).toBe(202);
  });
});

describe('refusals', () => {
  test('are kept per source with time and reason, and tell nothing of the body', async () => {
    const seed = await seedOrganisation(service.engine);
    const source = await seed.source('hmac');
    const secretBody = '{"card":"4111"';
    await post(urlOf(source), secretBody);
    await post(urlOf(source), secretBody, { 'X-Ingest-Signature': sign(source.secret, secretBody) });
    const kept = () => service.engine.configuration.listRejections(seed.orgId, source.id, 10);
    await until(async () => (await kept()).length === 2, 'the refusals were not kept');
    expect((await kept()).map(({ code }) => code).sort()).toEqual(['invalid_json', 'unauthenticated']);
    expect(JSON.stringify(await kept())).not.toContain('4111');
  });
});
