import { askedFor, plainAnswer } from '../verification/challenge.ts';
import { isObject, jsonInBody } from '../verification/in-body.ts';
import type { Preset } from '../verification/preset.ts';
import { isOneOf } from '../verification/token.ts';
import { chosenSecret } from './fields.ts';

/** Microsoft Graph: change notifications, with the secret in each of them. */
export const microsoftGraph: Preset = {
  name: 'microsoft-graph',
  title: 'Microsoft Graph',
  also: ['Microsoft 365', 'Outlook', 'Teams', 'OneDrive', 'SharePoint'],
  steps: [
    'Make this source.',
    'Create a subscription with Microsoft Graph: the URL of this source as notificationUrl, its secret as clientState; it is verified at once.',
  ],
  documentation: 'Microsoft Graph: Receive change notifications through webhooks',
  fields: {
    secret: {
      ...chosenSecret,
      label: 'Client state',
      hint: 'At most 128 characters. Leave it empty and one is made.',
    },
  },
  signature: 'The secret itself as `clientState` of each item; the body is not signed.',
  note: 'A POST with `validationToken` is answered and makes no event.',
  secretHeaders: [],
  prepare: ({ secrets }) => ({
    challenge(request) {
      const token = askedFor(request, 'POST', 'validationToken');
      return token === null ? null : plainAnswer(token);
    },
    verify({ bytes }) {
      const body = jsonInBody(bytes);
      if (!body.ok) return body.mismatch;
      const { value: items } = body.value;
      if (!Array.isArray(items) || items.length === 0) return { part: 'field_missing', field: 'value' };
      for (const [i, item] of items.entries()) {
        const state: unknown = isObject(item) ? item.clientState : undefined;
        if (typeof state !== 'string') return { part: 'field_missing', field: `value[${i}].clientState` };
        if (!isOneOf(state, secrets)) return { part: 'token_differs', where: `value[${i}].clientState` };
      }
      return null;
    },
  }),
  body: { typeFrom: { path: 'payload.value[0].changeType', prefix: 'microsoft-graph.' } },
};
