import { describe, expect, spyOn, test } from 'bun:test';
import { EventEmitter } from 'node:events';
import https from 'node:https';
import { Readable } from 'node:stream';
import { sign as signGithub, verify as verifyGithub } from '@octokit/webhooks-methods';
import { EventWebhook } from '@sendgrid/eventwebhook';
import { verifyKey } from 'discord-interactions';
import MessageValidator from 'sns-validator';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { findPreset, proofIn } from '../../../src/ingest/providers/registry.ts';
import { type Sample, type SampleKeys, samples, snsCertificate } from './samples.ts';

/** Our verifiers against the providers' own libraries: what theirs signs ours takes, and both judge alike. */

const NOW = Date.now();
const AT = Math.floor(NOW / 1_000);

function sampleOf(name: string): Sample {
  const sample = samples.find(candidate => candidate.name === name);
  if (sample === undefined) throw new Error(`There is no sample ${name}.`);
  return sample;
}

async function isTaken(
  name: string,
  keys: SampleKeys,
  headers: Record<string, string>,
  body: string,
): Promise<boolean> {
  const provider = findPreset(name)?.prepare(
    {
      secrets: [keys.secret ?? ''],
      publicKey: keys.public_key ?? null,
      verifyToken: null,
      verifyWith: 'none',
    },
    { fetchText: async () => snsCertificate.cert },
  );
  const bytes = new TextEncoder().encode(body);
  const verdict = await provider?.verify({
    method: 'POST',
    headers: new Headers(headers),
    bytes,
    url: () => '',
    proof: () => proofIn(name, bytes),
    now: NOW,
  });
  return verdict === null;
}

/** The sample as it is signed now, and again with a byte of its body changed. */
function signedNow(name: string) {
  const sample = sampleOf(name);
  const at = Math.floor(Date.now() / 1_000);
  const { headers } = sample.sign({ url: '', body: sample.body, at }, sample.keys);
  const all: Record<string, string> = { ...sample.headers, ...headers };
  return { ...sample, headers: all, changed: sample.body.replace('1', '2') };
}

describe('what the provider’s own library signs is taken', () => {
  test('GitHub', async () => {
    const body = '{"zen":"Ünïcode"}';
    const signature = await signGithub('secret', body);
    expect(await verifyGithub('secret', body, signature)).toBe(true);
    const headers = { 'x-hub-signature-256': signature };
    expect(await isTaken('github', { secret: 'secret' }, headers, body)).toBe(true);
    expect(await isTaken('github', { secret: 'other' }, headers, body)).toBe(false);
  });

  test('Stripe', async () => {
    const { webhooks } = new Stripe('sk_test_123', { apiVersion: '2020-08-27' });
    const payload = '{"id":"evt_1","type":"invoice.paid"}';
    const secret = 'whsec_1';
    const header = webhooks.generateTestHeaderString({ payload, secret, timestamp: AT });
    expect(await isTaken('stripe', { secret: 'whsec_1' }, { 'stripe-signature': header }, payload)).toBe(
      true,
    );
    const changed = payload.replace('1', '2');
    expect(await isTaken('stripe', { secret: 'whsec_1' }, { 'stripe-signature': header }, changed)).toBe(
      false,
    );
  });

  test('Standard Webhooks', async () => {
    const secret = `whsec_${Buffer.from('a key of twenty-four byte').toString('base64')}`;
    const body = '{"type":"contact.created"}';
    const signature = new Webhook(secret).sign('msg_1', new Date(NOW), body);
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(AT),
      'webhook-signature': signature,
    };
    expect(await isTaken('standard-webhooks', { secret }, headers, body)).toBe(true);
    expect(await isTaken('standard-webhooks', { secret }, { ...headers, 'webhook-id': 'msg_2' }, body)).toBe(
      false,
    );
    const svix = Object.fromEntries(
      Object.entries(headers).map(([k, v]) => [k.replace('webhook', 'svix'), v]),
    );
    expect(await isTaken('standard-webhooks', { secret }, svix, body)).toBe(true);
    expect(await isTaken('gitlab', { secret }, headers, body)).toBe(true);
  });
});

describe('the provider’s own library takes what ours takes, and refuses what ours refuses', () => {
  test('SendGrid', async () => {
    const { keys, headers, body, changed } = signedNow('sendgrid');
    const theirs = new EventWebhook();
    const key = theirs.convertPublicKeyToECDSA(keys.public_key ?? '');
    const judge = (text: string) =>
      theirs.verifySignature(
        key,
        text,
        headers['x-twilio-email-event-webhook-signature'] ?? '',
        headers['x-twilio-email-event-webhook-timestamp'] ?? '',
      );
    const other = changed.replace('"a"', '"c"');
    expect([judge(body), judge(other)]).toEqual([true, false]);
    expect(await isTaken('sendgrid', keys, headers, body)).toBe(true);
    expect(await isTaken('sendgrid', keys, headers, other)).toBe(false);
  });

  test('Discord', async () => {
    const { keys, headers, body } = signedNow('discord');
    const judge = (text: string) =>
      verifyKey(
        text,
        headers['x-signature-ed25519'] ?? '',
        headers['x-signature-timestamp'] ?? '',
        keys.public_key ?? '',
      );
    const changed = body.replace('9', '8');
    expect([await judge(body), await judge(changed)]).toEqual([true, false]);
    expect(await isTaken('discord', keys, headers, body)).toBe(true);
    expect(await isTaken('discord', keys, headers, changed)).toBe(false);
  });

  test('Amazon SNS', async () => {
    // Amazon's own address cannot be reached from a test: its certificate is handed in.
    const fetched = spyOn(https, 'get').mockImplementation(((
      _url: string,
      take: (answer: object) => void,
    ) => {
      take(Object.assign(Readable.from([Buffer.from(snsCertificate.cert)]), { statusCode: 200 }));
      return new EventEmitter();
    }) as typeof https.get);
    try {
      const { keys, sign, body } = sampleOf('sns');
      const signed = sign({ url: '', body, at: AT }, keys).body ?? '';
      const judge = (text: string) =>
        new Promise<boolean>(resolve =>
          new MessageValidator().validate(JSON.parse(text), error => resolve(error === null)),
        );
      const changed = signed.replace('hello', 'hallo');
      expect([await judge(signed), await judge(changed)]).toEqual([true, false]);
      expect(await isTaken('sns', keys, {}, signed)).toBe(true);
      expect(await isTaken('sns', keys, {}, changed)).toBe(false);
    } finally {
      fetched.mockRestore();
    }
  });
});
