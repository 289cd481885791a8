import { hubChallenge } from '../verification/challenge.ts';
import type { Preset } from '../verification/preset.ts';
import { verifyTokenField } from './fields.ts';

/** Strava: nothing is signed; the address alone is verified. */
export const strava: Preset = {
  name: 'strava',
  title: 'Strava',
  steps: [
    'Create this source.',
    'Create a push subscription with Strava’s API: the URL of this source as callback_url, its verify token as verify_token.',
  ],
  documentation: 'Strava Developers: Webhook events API',
  fields: { verify_token: verifyTokenField },
  signature: 'None: Strava signs nothing. Whoever knows the URL can send.',
  note: 'A GET with `hub.challenge` and the verify token is answered.',
  secretHeaders: [],
  prepare: ({ verifyToken }) => ({
    verify: () => null,
    challenge(request) {
      const challenge = hubChallenge(request, verifyToken);
      return challenge === null ? null : Response.json({ 'hub.challenge': challenge });
    },
  }),
  body: { typeFrom: { path: 'payload.object', prefix: 'strava.' } },
};
