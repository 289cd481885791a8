import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret } from './fields.ts';

/** Intercom. */
const signed = signedBy({
  header: 'x-hub-signature',
  algorithm: 'sha1',
  encoding: 'hex',
  prefix: 'sha1=',
  signed: '{body}',
});

export const intercom: Preset = {
  name: 'intercom',
  title: 'Intercom',
  steps: [
    'Open the Intercom Developer Hub, then your app → Basic information, and copy the client secret here.',
    'Create this source.',
    'Paste its URL under Webhooks → Endpoint URL and choose the topics.',
  ],
  documentation: 'Intercom Developers: Webhook notifications',
  fields: { secret: givenSecret('Client secret', 'Basic information of the app.') },
  signature: 'HMAC-SHA1 of the body, hexadecimal, in `x-hub-signature: sha1=…`.',
  ...signed,
  prepare: keys => ({
    ...signed.prepare(keys),
    // Whether the address answers is asked when it is saved.
    challenge: request => (request.method === 'HEAD' ? new Response(null) : null),
  }),
  body: { typeFrom: { path: 'payload.topic', prefix: 'intercom.' }, deliveryId: ['payload.id'] },
};
