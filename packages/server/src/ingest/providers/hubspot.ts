import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret, signedUrl } from './fields.ts';

/** HubSpot: lists of changes, signed in the third version of its scheme. */
const signed = signedBy({
  header: 'x-hubspot-signature-v3',
  algorithm: 'sha256',
  encoding: 'base64',
  signed: '{method}{url}{body}{timestamp}',
  timestampHeader: 'x-hubspot-request-timestamp',
});

export const hubspot: Preset = {
  name: 'hubspot',
  title: 'HubSpot',
  steps: [
    'Open your app in HubSpot, then Auth, and copy the client secret here.',
    'Create this source.',
    'Paste its URL under Webhooks → Target URL and subscribe to what you need.',
  ],
  documentation: 'HubSpot Developers: Validate incoming requests',
  fields: { secret: givenSecret('Client secret', 'Auth settings of the app.'), url: signedUrl },
  signature: 'HMAC-SHA256 of method, URL, body and timestamp, base64, in `x-hubspot-signature-v3`; 300 s.',
  note: 'Each item of a list becomes one event.',
  ...signed,
  // The older versions come along.
  secretHeaders: [...signed.secretHeaders, 'x-hubspot-signature'],
  body: {
    typeFrom: { path: 'payload.subscriptionType', prefix: 'hubspot.' },
    // HubSpot does not promise that an event id is unique: these two tell apart what shares one.
    each: { id: ['payload.eventId', 'payload.subscriptionId', 'payload.occurredAt'] },
  },
};
