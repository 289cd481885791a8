import { describe, expect, test } from 'bun:test';
import { otherKeys, type Sample, type SampleKeys, samples } from '../../test/contract/provider/samples.ts';
import type { KnownSource } from './directory.ts';
import { presets, proofIn } from './providers/registry.ts';
import { createSenderCheck } from './sender-check.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const ADDRESS = 'https://sluice.example.com/whk/token';

function sourceOf({ name, keys }: Sample): KnownSource {
  const preset = presets.find(candidate => candidate.name === name);
  if (preset === undefined) throw new Error(`There is no preset ${name}.`);
  const current = preset.prepare(
    {
      secrets: [keys.secret ?? ''],
      publicKey: keys.public_key ?? null,
      verifyToken: keys.verify_token ?? null,
      verifyWith: keys.verify_with ?? 'bearer',
    },
    { fetchText: async () => '' },
  );
  return {
    id: 'src_1',
    orgId: 'org_1',
    enabled: true,
    auth: 'provider',
    secret: keys.secret ?? '',
    previous: null,
    rate: { perSecond: 0, burst: 0 },
    provider: { preset, current, rotating: null, url: null },
    rules: null,
  };
}

/** The sample as a request, checked: what came of it, and how often its body was read. */
async function check(sample: Sample, change: { without?: string; unsignedUrl?: true; keys?: SampleKeys }) {
  let reads = 0;
  const checkSender = createSenderCheck({
    clock: { now: () => NOW },
    async read(request) {
      reads += 1;
      return new Uint8Array(await request.arrayBuffer());
    },
    addressOf: request => request.url,
    bodyThread: { readProof: async (_orgId, bytes, name) => proofIn(name, bytes) },
  });
  const draft = { url: ADDRESS, body: sample.body, at: Math.floor(NOW / 1_000) };
  const signed = sample.sign(draft, change.keys ?? sample.keys);
  const headers = new Headers({ ...sample.headers, ...signed.headers });
  if (change.without !== undefined) headers.delete(change.without);
  const url = change.unsignedUrl ? ADDRESS : (signed.url ?? ADDRESS);
  const request = new Request(url, { method: 'POST', body: signed.body ?? sample.body, headers });
  const outcome = await checkSender(request, sourceOf(sample)).then(
    () => 'taken',
    error => error.code,
  );
  return [outcome, reads];
}

describe('a request that cannot be genuine is refused before its body is read', () => {
  for (const sample of samples) {
    const { name, signatureHeader } = sample;
    if (name !== 'sns') {
      test(`${name}: a genuine one is read once`, async () => {
        expect(await check(sample, {})).toEqual(['taken', 1]);
      });
    }
    if (signatureHeader !== null) {
      test(`${name}: unsigned`, async () => {
        expect(await check(sample, { without: signatureHeader })).toEqual(['unauthenticated', 0]);
      });
    }
    if (sample.isInUrl) {
      test(`${name}: without the secret in its URL`, async () => {
        expect(await check(sample, { unsignedUrl: true })).toEqual(['unauthenticated', 0]);
      });
    }
    if (sample.isBodyUnsigned && !sample.isOpen && (signatureHeader !== null || sample.isInUrl)) {
      test(`${name}: with another token`, async () => {
        expect(await check(sample, { keys: otherKeys(sample) })).toEqual(['unauthenticated', 0]);
      });
    }
  }

  test('CloudEvents with a bearer token: none, or another', async () => {
    const cloud = samples.find(({ name }) => name === 'cloudevents');
    if (cloud === undefined) throw new Error('There is no sample of CloudEvents.');
    const withToken: Sample = {
      ...cloud,
      keys: { ...cloud.keys, verify_with: 'bearer' },
      sign: (_draft, { secret = '' }) => ({ headers: { authorization: `Bearer ${secret}` } }),
    };
    expect(await check(withToken, {})).toEqual(['taken', 1]);
    expect(await check(withToken, { without: 'authorization' })).toEqual(['unauthenticated', 0]);
    expect(await check(withToken, { keys: { secret: 'another' } })).toEqual(['unauthenticated', 0]);
  });
});
