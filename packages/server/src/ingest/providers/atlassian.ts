import { type Preset, signedBy } from '../verification/preset.ts';
import { chosenSecret } from './fields.ts';

/** Bitbucket and Jira sign in the same way. */
const signed = signedBy({
  header: 'x-hub-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: 'sha256=',
  signed: '{body}',
});

const signature = 'HMAC-SHA256 of the body, hexadecimal, in `x-hub-signature: sha256=…`.';

export const bitbucket: Preset = {
  name: 'bitbucket',
  title: 'Bitbucket',
  steps: [
    'Open the repository at Bitbucket, then Repository settings → Webhooks → Add webhook.',
    'Paste the URL of this source and its secret.',
  ],
  documentation: 'Bitbucket Support: Manage webhooks; Secure webhooks',
  fields: { secret: chosenSecret },
  signature,
  ...signed,
  body: { typeFrom: { header: 'x-event-key', prefix: 'bitbucket.' } },
  deliveryHeaders: ['x-request-uuid'],
};

export const jira: Preset = {
  name: 'jira',
  title: 'Jira',
  steps: [
    'Open Jira, then Settings → System → WebHooks → Create a WebHook.',
    'Paste the URL of this source and its secret.',
  ],
  documentation: 'Atlassian Developer: Jira webhooks',
  fields: { secret: chosenSecret },
  signature,
  ...signed,
  body: { typeFrom: { path: 'payload.webhookEvent', prefix: 'jira.' } },
  deliveryHeaders: ['x-atlassian-webhook-identifier'],
};
