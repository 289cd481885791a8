import { describe, expect, test } from 'bun:test';
import type { AttemptResult } from '../core/http/attempt.ts';
import type { Kind } from '../core/kinds/kind.ts';
import type { Destination, OutgoingDelivery } from './destination.ts';
import { strikeSecrets } from './strike-secrets.ts';

const SECRET = 'pässwörd/+?="42"';

/** What is kept of an attempt whose receiver answered this. */
async function keptOf(response: string, secret = SECRET): Promise<string> {
  const result: AttemptResult = {
    outcome: 'failed',
    code: 'rejected_by_destination',
    message: response,
    retryAfterMs: null,
    request: { target: 'x', headers: { 'X-Echo': response }, body: response },
    status: 500,
    response,
    durationMs: 1,
    exchange: { headers: { 'x-echo': response }, phases: {} },
  };
  const destination: Destination = { readsTraits: false, send: async () => result };
  const kind = { secrets: ['password'] } as unknown as Kind;
  const struck = strikeSecrets(destination, kind, { password: secret });
  return JSON.stringify(await struck.send({} as OutgoingDelivery));
}

const bytes = Buffer.from(SECRET);
const spellings: Readonly<Record<string, string>> = {
  'as it is': SECRET,
  'in JSON': JSON.stringify({ password: SECRET }),
  'in JSON within JSON': JSON.stringify(JSON.stringify({ password: SECRET })),
  'in hex': bytes.toString('hex'),
  'in hex of capitals': bytes.toString('hex').toUpperCase(),
  'percent-encoded': encodeURIComponent(SECRET),
  'percent-encoded in lower case': encodeURIComponent(SECRET).replace(/%../g, code => code.toLowerCase()),
  'with every byte percent-encoded': bytes.toString('hex').replace(/../g, '%$&'),
  'in base64': bytes.toString('base64'),
  'in base64 for URLs': bytes.toString('base64url'),
  'in the base64 of SMTP AUTH PLAIN': Buffer.from(`\0mailer\0${SECRET}`).toString('base64'),
  'in the base64 of HTTP Basic, one byte on': Buffer.from(`ada:${SECRET}!`).toString('base64'),
  'in the base64 of HTTP Basic, two bytes on': Buffer.from(`user:${SECRET}..`).toString('base64'),
};

describe('a secret that a receiver echoes is struck out of everything that is kept', () => {
  for (const [how, echo] of Object.entries(spellings)) {
    test(how, async () => {
      const kept = await keptOf(`before ${echo} after`);
      expect(kept).toContain('before ');
      expect(kept).toContain(' after');
      expect(kept).toContain('…');
      for (const spelling of Object.values(spellings)) expect(kept).not.toContain(spelling);
      const texts = kept.match(/[A-Za-z0-9+/_-]{8,}/g) ?? [];
      for (const text of texts) {
        expect(Buffer.from(text, 'base64').toString('utf8')).not.toContain('rd/+?="4');
      }
    });
  }
});

test('a token that looks like an address with a password, and is none, is struck out as it is', async () => {
  for (const token of ['x://u:%zz@h', 'x://user:secret%E9password@h']) {
    const kept = await keptOf(`before ${token} after`, token);
    expect(kept).toContain('before … after');
    expect(await keptOf(`before ${new URL(token).password} after`, token)).toContain('before … after');
  }
});

test('what only looks like it stays', async () => {
  expect(await keptOf('The password was wrong, said the server.')).toContain('The password was wrong');
});
