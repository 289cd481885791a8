import type { Verdict } from '../verification/mismatch.ts';
import type { Preset } from '../verification/preset.ts';
import type { Unread } from '../verification/received.ts';
import { isOneOf } from '../verification/token.ts';

function verifyBasic({ headers }: Unread, secrets: readonly string[]): Verdict {
  const given = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (given === undefined)
    return { part: 'header_malformed', header: 'authorization', expected: 'Basic <user:password in base64>' };
  return isOneOf(Buffer.from(given, 'base64').toString(), secrets)
    ? null
    : { part: 'token_differs', where: 'authorization' };
}

/** Postmark: user and password, which stand in the URL that it is given. */
export const postmark: Preset = {
  name: 'postmark',
  title: 'Postmark',
  steps: [
    'Open the message stream at Postmark, then Webhooks → Add webhook.',
    'Paste the URL of this source.',
    'Under basic auth enter a user and a password, and paste both here, with a colon between them.',
  ],
  documentation: 'Postmark Developer: Webhooks overview',
  fields: { secret: { label: 'User and password', hint: 'As user:password.', isChosen: false } },
  signature: 'User and password in `authorization: Basic …`; the body is not signed.',
  secretHeaders: ['authorization'],
  requiredHeaders: ['authorization'],
  prepare({ secrets }) {
    const verify = (unread: Unread) => verifyBasic(unread, secrets);
    return { verify, verifyUnread: verify };
  },
  check: ({ secrets }) =>
    secrets.every(secret => /^[^:]+:.+$/.test(secret))
      ? null
      : { field: 'secret', message: 'secret must read as user:password.' },
  body: { typeFrom: { path: 'payload.RecordType', prefix: 'postmark.' } },
};
