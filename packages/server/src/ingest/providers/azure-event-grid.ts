import { isObject, questionIn } from '../verification/in-body.ts';
import type { Verdict } from '../verification/mismatch.ts';
import type { Preset } from '../verification/preset.ts';
import type { Received, Unread } from '../verification/received.ts';
import { isOneOf } from '../verification/token.ts';
import { chosenSecret } from './fields.ts';

/** Azure Event Grid in its own schema: lists of events, with the secret as a parameter of the URL. */
const PARAMETER = 'code';
const VALIDATION = 'Microsoft.EventGrid.SubscriptionValidationEvent';

/** It asks so when a subscription is made, before it sends anything. */
function answerValidation({ bytes }: Received): Response | null {
  const question = questionIn(bytes, VALIDATION);
  const event: unknown = Array.isArray(question) ? question[0] : null;
  if (!isObject(event) || event.eventType !== VALIDATION || !isObject(event.data)) return null;
  return Response.json({ validationResponse: String(event.data.validationCode ?? '') });
}

export const azureEventGrid: Preset = {
  name: 'azure-event-grid',
  title: 'Azure Event Grid',
  steps: [
    'Create this source.',
    'Create an event subscription with the endpoint type Web Hook and the Event Grid schema.',
    'Paste the URL of this source, with ?code= and its secret after it.',
  ],
  documentation: 'Azure Event Grid: Authenticate event delivery to webhook endpoints',
  fields: { secret: chosenSecret },
  signature: 'The secret itself as `code` in the URL; the body is not signed.',
  note: 'Each item of a list becomes one event. The validation event is answered and creates none. For the CloudEvents schema, use the CloudEvents provider.',
  secretHeaders: [],
  prepare({ secrets }) {
    const verify = ({ url }: Unread): Verdict => {
      const given = new URL(url()).searchParams.get(PARAMETER);
      const where = `${PARAMETER} of the URL`;
      return given !== null && isOneOf(given, secrets) ? null : { part: 'token_differs', where };
    };
    return { verify, verifyUnread: verify, confirm: answerValidation };
  },
  body: {
    typeFrom: { path: 'payload.eventType', prefix: 'azure-event-grid.' },
    each: { id: ['payload.id'] },
  },
};
