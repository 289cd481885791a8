import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { presets, proofIn, secretHeaders } from '../../../src/ingest/providers/registry.ts';
import type { Mismatch } from '../../../src/ingest/verification/mismatch.ts';
import { missingHeader, type Preset } from '../../../src/ingest/verification/preset.ts';
import type { Received } from '../../../src/ingest/verification/received.ts';
import { otherKeys, type Sample, type SampleKeys, samples, snsCertificate } from './samples.ts';

/** What holds for every preset, against the function that verifies. The real server has its turn in `webhook-providers`. */

const NOW = Date.parse('2026-01-31T12:00:00Z');
const URL_AS_SHOWN = 'https://sluice.example.com/whk/token';

function presetOf({ name }: Sample): Preset {
  const preset = presets.find(candidate => candidate.name === name);
  if (preset === undefined) throw new Error(`There is no preset ${name}.`);
  return preset;
}

/** The request that this sample makes of a body. */
function requestOf(sample: Sample, options: { keys?: SampleKeys; at?: number } = {}) {
  const at = Math.floor((options.at ?? NOW) / 1_000);
  const draft = { url: URL_AS_SHOWN, body: sample.body, at };
  const signed = sample.sign(draft, options.keys ?? sample.keys);
  const headers = new Headers({ ...sample.headers, ...signed.headers });
  return { headers, body: signed.body ?? sample.body, url: signed.url ?? URL_AS_SHOWN };
}

async function verify(
  sample: Sample,
  request: { readonly headers: Headers; readonly body: string; readonly url?: string },
): Promise<Mismatch | null> {
  const { keys } = sample;
  const provider = presetOf(sample).prepare(
    {
      secrets: [keys.secret ?? ''],
      publicKey: keys.public_key ?? null,
      verifyToken: keys.verify_token ?? null,
      verifyWith: keys.verify_with ?? 'bearer',
    },
    { fetchText: async () => snsCertificate.cert },
  );
  const missing = missingHeader(presetOf(sample), request.headers);
  if (missing !== null) return missing;
  return provider.verify(received(sample, request));
}

function received(
  { name }: Sample,
  { headers, body, url = URL_AS_SHOWN }: { headers: Headers; body: string; url?: string },
): Received {
  const bytes = new TextEncoder().encode(body);
  const proof = () => proofIn(name, bytes);
  return { method: 'POST', headers, bytes, url: () => url, proof, now: NOW };
}

test('there are at least 25, each with a sample, and each sample has its preset', () => {
  expect(presets.length).toBeGreaterThanOrEqual(25);
  expect(samples.map(({ name }) => name).sort()).toEqual(presets.map(({ name }) => name).sort());
  expect(new Set(presets.map(({ name }) => name)).size).toBe(presets.length);
});

for (const sample of samples) {
  describe(sample.name, () => {
    test('describes itself: where to paste what, and how it signs', () => {
      const { title, steps, documentation, signature, fields } = presetOf(sample);
      expect(title).not.toBe('');
      expect(steps.length).toBeGreaterThan(0);
      for (const step of steps) expect(step).toMatch(/^[A-Z].*\.$/);
      expect(documentation).not.toBe('');
      expect(signature).toMatch(/\.$/);
      for (const { label, hint } of Object.values(fields)) expect([label, hint]).not.toContain('');
    });

    test('takes a genuine request', async () => {
      expect(await verify(sample, requestOf(sample))).toBeNull();
    });

    test('takes what either of two secrets signed while one is being rotated', async () => {
      if (sample.keys.secret === undefined) return;
      const preset = presetOf(sample);
      const other = otherKeys(sample);
      const keys = {
        secrets: [other.secret ?? '', sample.keys.secret],
        publicKey: null,
        verifyToken: sample.keys.verify_token ?? null,
        verifyWith: sample.keys.verify_with ?? ('bearer' as const),
      };
      const { verify } = preset.prepare(keys, { fetchText: async () => '' });
      for (const request of [requestOf(sample), requestOf(sample, { keys: other })])
        expect(await verify(received(sample, request))).toBeNull();
    });

    test(
      sample.isBodyUnsigned ? 'a body that is not signed may change' : 'one byte changed is refused',
      async () => {
        const { headers, body, url } = requestOf(sample);
        const at = Math.floor(sample.body.length / 2);
        const changed = sample.isBodyUnsigned ? body.replace('{', '{ ') : flip(body, at);
        const mismatch = await verify(sample, { headers, body: changed, url });
        if (sample.isBodyUnsigned) expect(mismatch).toBeNull();
        else expect(mismatch).not.toBeNull();
      },
    );

    if (!sample.isOpen) {
      test('another secret is refused, and the reason names what differs', async () => {
        const mismatch = await verify(sample, requestOf(sample, { keys: otherKeys(sample) }));
        expect(['signature_differs', 'token_differs']).toContain(mismatch?.part ?? '');
      });
    }

    const { signatureHeader } = sample;
    if (signatureHeader !== null) {
      test('no header is refused, and the reason names it', async () => {
        const { headers, body } = requestOf(sample);
        headers.delete(signatureHeader);
        expect(await verify(sample, { headers, body })).toMatchObject({ part: 'header_missing' });
      });

      test('a header that is no signature is refused', async () => {
        for (const text of ['x', '=', 'v1=', 't=1,v1=', 'sha256=', '%00']) {
          const { headers, body } = requestOf(sample);
          headers.set(signatureHeader, text);
          expect(await verify(sample, { headers, body })).not.toBeNull();
        }
      });

      test(sample.isList ? 'two headers are one list' : 'two headers are refused', async () => {
        const { headers, body } = requestOf(sample);
        headers.append(signatureHeader, headers.get(signatureHeader) ?? '');
        const mismatch = await verify(sample, { headers, body });
        if (sample.isList) expect(mismatch).toBeNull();
        else expect(mismatch).not.toBeNull();
      });

      test(
        sample.isList
          ? 'a second header with a part of it is in the list too'
          : 'a second header with a part of it is refused, before it and after it',
        async () => {
          const { headers, body, url } = requestOf(sample);
          const genuine = headers.get(signatureHeader) ?? '';
          for (const part of partsOf(genuine)) {
            for (const both of [`${genuine}, ${part}`, `${part}, ${genuine}`]) {
              headers.set(signatureHeader, both);
              const mismatch = await verify(sample, { headers, body, url });
              expect([both, mismatch === null]).toEqual([both, sample.isList === true]);
            }
          }
        },
      );

      test('any other header that is signed may come once', async () => {
        const { headers, body, url } = requestOf(sample);
        for (const name of signingHeaders(sample)) {
          if (name === signatureHeader) continue;
          const twice = new Headers(headers);
          twice.append(name, headers.get(name) ?? '');
          expect(await verify(sample, { headers: twice, body, url })).toMatchObject({
            part: 'header_repeated',
          });
        }
      });

      test('the header is never kept', () => {
        expect(['authorization', ...secretHeaders()]).toContain(signatureHeader);
      });
    } else if (sample.isInUrl) {
      test('a URL without the secret is refused', async () => {
        const { headers, body } = requestOf(sample);
        expect(await verify(sample, { headers, body })).toMatchObject({ part: 'token_differs' });
      });
    } else if (!sample.isOpen) {
      test('a body that cannot be read is refused, since its signature lies inside', async () => {
        for (const body of ['', '{', 'null', '[]', '{}'])
          expect(await verify(sample, { headers: requestOf(sample).headers, body })).not.toBeNull();
      });
    }

    test(sample.isTimed ? 'an old timestamp is refused' : 'its age does not count', async () => {
      const signedAt = async (at: number) => verify(sample, requestOf(sample, { at }));
      const old = await signedAt(NOW - 301_000);
      if (sample.isTimed) {
        expect(old).toMatchObject({ part: 'timestamp_old', seconds: 301 });
        expect(await signedAt(NOW + 301_000)).toMatchObject({ part: 'timestamp_ahead' });
      } else expect(old).toBeNull();
      expect(await signedAt(NOW - 299_000)).toBeNull();
    });
  });
}

test('Adyen’s own example is taken, and a body that its platforms sign', async () => {
  const adyen = samples.find(({ name }) => name === 'adyen') as Sample;
  const { body } = requestOf(adyen);
  // From Adyen's documentation, for this key and these fields.
  expect(body).toContain('coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=');
  const platform = '{"type":"balancePlatform.transfer.created"}';
  const key = Buffer.from(adyen.keys.secret ?? '', 'hex');
  const headers = new Headers({ hmacsignature: createHmac('sha256', key).update(platform).digest('base64') });
  expect(await verify(adyen, { headers, body: platform })).toBeNull();
  expect(await verify(adyen, { headers, body })).toMatchObject({ part: 'signature_differs' });
});

/** What else a header of this kind may hold: each of its parts, and each of its signatures with other characters. */
function partsOf(header: string): string[] {
  const parts = header.split(/[,;] */);
  return [...parts, ...parts.map(part => part.replace(/[^=]{20,}=*$/, text => '0'.repeat(text.length)))];
}

/** The headers that this sample's signature is made of. */
const signingHeaders = (sample: Sample): string[] =>
  Object.keys(sample.sign({ url: URL_AS_SHOWN, body: sample.body, at: NOW / 1_000 }, sample.keys).headers);

/** The text with one character of it another. */
const flip = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === 'z' ? 'y' : 'z') + text.slice(at + 1);
