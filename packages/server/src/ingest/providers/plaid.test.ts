import { expect, test } from 'bun:test';
import { plaidAnswer, signPlaid } from '../../../test/contract/provider/samples.ts';
import type { Problem } from '../../core/errors.ts';
import { found } from '../verification/received.ts';
import { plaid } from './plaid.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const at = NOW / 1_000;
const body = '{\n  "webhook_type": "ITEM"\n}';

/** Plaid cannot be reached from a test: what is fetched there is handed in. */
function open(answer: () => string = plaidAnswer, credentials = 'client:hidden') {
  const asked: { url: string; sent: object | undefined }[] = [];
  const provider = plaid.prepare(
    { secrets: [credentials], publicKey: null, verifyToken: null, verifyWith: 'none' },
    {
      async fetchText(url, sent) {
        asked.push({ url, sent });
        return answer();
      },
    },
  );
  const verify = async (jwt: string, now = NOW) =>
    provider.verify({
      method: 'POST',
      headers: new Headers({ 'plaid-verification': jwt }),
      bytes: new TextEncoder().encode(body),
      url: () => '',
      proof: () => found({}),
      now,
    });
  return { asked, verify };
}

test('the key is asked for with the credentials of the account, once an hour', async () => {
  const { asked, verify } = open();
  const genuine = (when: number) => signPlaid({ body, at: when / 1_000 });
  expect(await verify(genuine(NOW))).toBeNull();
  expect(await verify(genuine(NOW + 3_599_000), NOW + 3_599_000)).toBeNull();
  expect(asked).toEqual([
    {
      url: 'https://production.plaid.com/webhook_verification_key/get',
      sent: { client_id: 'client', secret: 'hidden', key_id: 'bfbd5111-8e33-4643-8ced-b2e642a72f3c' },
    },
  ]);
  expect(await verify(genuine(NOW + 3_600_000), NOW + 3_600_000)).toBeNull();
  expect(asked).toHaveLength(2);
  const sandbox = open(plaidAnswer, 'sandbox:client:hidden');
  expect(await sandbox.verify(genuine(NOW))).toBeNull();
  expect(sandbox.asked).toMatchObject([
    { url: 'https://sandbox.plaid.com/webhook_verification_key/get', sent: { client_id: 'client' } },
  ]);
});

test('no key is asked for where the claims are old, of another body or of another algorithm', async () => {
  const { asked, verify } = open();
  expect(await verify(signPlaid({ body, at: at - 301 }))).toMatchObject({ part: 'timestamp_old' });
  expect(await verify(signPlaid({ body: '{}', at }))).toMatchObject({ part: 'signature_differs' });
  for (const head of [{ alg: 'none' }, { alg: 'HS256' }, { kid: '' }, { kid: 7 }, { kid: '../x' }])
    expect(await verify(signPlaid({ body, at }, undefined, head))).toMatchObject({
      part: 'header_malformed',
    });
  for (const jwt of ['x', '..', `${signPlaid({ body, at })}.x`])
    expect(await verify(jwt)).toMatchObject({ part: 'header_malformed' });
  expect(asked).toEqual([]);
});

test('a signature that is cut, empty or of other claims is refused, and so is a key that has expired', async () => {
  const { verify } = open();
  const [head, claims, signature = ''] = signPlaid({ body, at }).split('.');
  const [, , other] = signPlaid({ body, at: at - 1 }).split('.');
  for (const changed of ['', signature.slice(2), other])
    expect(await verify([head, claims, changed].join('.'))).toMatchObject({ part: 'signature_differs' });
  const expired = open(() => plaidAnswer({ expired_at: at - 60 }));
  expect(await expired.verify(signPlaid({ body, at }))).toMatchObject({ part: 'key_refused' });
});

test('a key that cannot be fetched, or is none, refuses nothing: the request is to come again', async () => {
  for (const answer of ['', '{}', '{"key":null}', plaidAnswer({ crv: 'P-384' }), plaidAnswer({ x: 'x' })]) {
    const { verify } = open(() => answer);
    const problem = await verify(signPlaid({ body, at })).catch((error: unknown) => error);
    expect(problem).toMatchObject({ code: 'storage_unavailable', retryAfter: 60 });
    // What is said of it is on record, and the credentials are not.
    expect(String((problem as Problem).reason)).not.toContain('hidden');
  }
});

test('credentials without a colon between them are refused when the source is saved', () => {
  const check = (secret: string) =>
    plaid.check?.({ secrets: [secret], publicKey: null, verifyToken: null, verifyWith: 'none' });
  expect([check('client:hidden'), check('sandbox:client:hidden')]).toEqual([null, null]);
  for (const bad of ['client', 'client:', ':hidden', 'a:b:c', ' a:b', 'sandbox:client'])
    expect(check(bad)).toMatchObject({ field: 'secret' });
});
