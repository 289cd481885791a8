import { plainAnswer } from '../verification/challenge.ts';
import { isObject, questionIn } from '../verification/in-body.ts';
import { type Preset, signedBy } from '../verification/preset.ts';
import type { Received } from '../verification/received.ts';
import { givenSecret } from './fields.ts';

/** Slack: events, commands and interactions of an app. */
const signed = signedBy({
  header: 'x-slack-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: 'v0=',
  signed: 'v0:{timestamp}:{body}',
  timestampHeader: 'x-slack-request-timestamp',
});

/** Asked, signed, when somebody saves the address. */
function answerVerification({ bytes }: Received): Response | null {
  const question = questionIn(bytes, 'url_verification');
  if (!isObject(question) || question.type !== 'url_verification') return null;
  return plainAnswer(String(question.challenge ?? ''));
}

export const slack: Preset = {
  name: 'slack',
  title: 'Slack',
  steps: [
    'Open your app at api.slack.com/apps and copy its signing secret (Basic Information) here.',
    'Create this source.',
    'Paste its URL under Event Subscriptions → Request URL; Slack verifies it immediately. Commands and interactions take the same URL.',
  ],
  documentation: 'Slack Docs: Verifying requests from Slack',
  fields: { secret: givenSecret('Signing secret', 'Basic Information → App Credentials.') },
  signature: 'HMAC-SHA256 of `v0:<timestamp>:<body>`, hexadecimal, in `x-slack-signature: v0=…`; 300 s.',
  note: '`url_verification` is answered and creates no event. Commands and interactions are answered with 200 and no body.',
  ...signed,
  prepare: keys => ({ ...signed.prepare(keys), confirm: answerVerification }),
  // Whatever Slack is answered to a command, it shows to whoever gave it.
  answer: ({ headers }) =>
    headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') ? new Response(null) : null,
  body: {
    typeFrom: { path: 'payload.event.type', prefix: 'slack.' },
    deliveryId: ['payload.event_id'],
    formField: 'payload',
  },
};
