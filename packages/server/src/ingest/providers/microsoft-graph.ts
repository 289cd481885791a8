import { askedFor, plainAnswer } from '../verification/challenge.ts';
import { isObject, readProof } from '../verification/in-body.ts';
import type { Preset } from '../verification/preset.ts';
import { type Extracted, found, missed } from '../verification/received.ts';
import { isOneOf } from '../verification/token.ts';
import { chosenSecret } from './fields.ts';

/** Microsoft Graph: change notifications, with the secret in each of them. */

/** While a secret is rotated there are two: nobody needs to look at more to see that one differs. */
const MOST_STATES = 3;

/** The different ones, each by the first place where it stands. */
function statesIn(items: unknown): Extracted<Record<string, string>> {
  if (!Array.isArray(items) || items.length === 0) return missed({ part: 'field_missing', field: 'value' });
  const places = new Map<string, string>();
  for (const [i, item] of items.entries()) {
    const place = `value[${i}].clientState`;
    const state: unknown = isObject(item) ? item.clientState : undefined;
    if (typeof state !== 'string') return missed({ part: 'field_missing', field: place });
    if (places.size < MOST_STATES && !places.has(state)) places.set(state, place);
  }
  return found(Object.fromEntries(Array.from(places, ([state, place]) => [place, state])));
}

export const microsoftGraph: Preset = {
  name: 'microsoft-graph',
  title: 'Microsoft Graph',
  also: ['Microsoft 365', 'Outlook', 'Teams', 'OneDrive', 'SharePoint'],
  steps: [
    'Create this source.',
    'Create a subscription with Microsoft Graph: the URL of this source as notificationUrl, its secret as clientState; it is verified immediately.',
  ],
  documentation: 'Microsoft Graph: Receive change notifications through webhooks',
  fields: {
    secret: {
      ...chosenSecret,
      label: 'Client state',
      hint: 'At most 128 characters. Leave it empty to generate one.',
    },
  },
  signature: 'The secret itself as `clientState` of each item; the body is not signed.',
  note: 'A POST with `validationToken` is answered and creates no event.',
  secretHeaders: [],
  proofIn: bytes => readProof(bytes, ({ value }) => statesIn(value)),
  prepare: ({ secrets }) => ({
    challenge(request) {
      const token = askedFor(request, 'POST', 'validationToken');
      return token === null ? null : plainAnswer(token);
    },
    async verify(received) {
      const proof = await received.proof();
      if (!proof.ok) return proof.mismatch;
      for (const [where, state] of Object.entries(proof.value))
        if (!isOneOf(state, secrets)) return { part: 'token_differs', where };
      return null;
    },
  }),
  body: {
    typeFrom: { path: 'payload.value[0].changeType', prefix: 'microsoft-graph.' },
    secretFields: ['payload.value[].clientState'],
  },
};
