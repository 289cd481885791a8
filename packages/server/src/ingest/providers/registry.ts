import type { Preset } from '../verification/preset.ts';
import { type Extracted, found, type Proof } from '../verification/received.ts';
import { adyen } from './adyen.ts';
import { bitbucket, jira } from './atlassian.ts';
import { azureEventGrid } from './azure-event-grid.ts';
import { calendly } from './calendly.ts';
import { cloudevents } from './cloudevents.ts';
import { discord } from './discord.ts';
import { docusign } from './docusign.ts';
import { dropbox } from './dropbox.ts';
import { forgejo, gitea, github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { hubspot } from './hubspot.ts';
import { intercom } from './intercom.ts';
import { linear } from './linear.ts';
import { mailgun } from './mailgun.ts';
import { mandrill } from './mandrill.ts';
import { meta } from './meta.ts';
import { microsoftGraph } from './microsoft-graph.ts';
import { paddle } from './paddle.ts';
import { pagerduty } from './pagerduty.ts';
import { postmark } from './postmark.ts';
import { sendgrid } from './sendgrid.ts';
import { sentry } from './sentry.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { sns } from './sns.ts';
import { square } from './square.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import { strava } from './strava.ts';
import { stripe } from './stripe.ts';
import { telegram } from './telegram.ts';
import { twilio } from './twilio.ts';
import { typeform } from './typeform.ts';
import { vercel } from './vercel.ts';
import { woocommerce } from './woocommerce.ts';
import { xero } from './xero.ts';
import { zoom } from './zoom.ts';

/** Every provider that there is a preset for, in the order in which they are offered. */
export const presets: readonly Preset[] = [
  github,
  gitea,
  forgejo,
  gitlab,
  stripe,
  shopify,
  slack,
  standardWebhooks,
  twilio,
  sendgrid,
  mailgun,
  paddle,
  square,
  zoom,
  linear,
  typeform,
  intercom,
  calendly,
  hubspot,
  xero,
  dropbox,
  woocommerce,
  bitbucket,
  jira,
  pagerduty,
  sentry,
  vercel,
  discord,
  telegram,
  meta,
  strava,
  microsoftGraph,
  cloudevents,
  sns,
  docusign,
  mandrill,
  postmark,
  adyen,
  azureEventGrid,
];

export const findPreset = (name: string): Preset | null =>
  presets.find(preset => preset.name === name) ?? null;

/** What the signature of this provider needs of a body. */
export const proofIn = (name: string, bytes: Uint8Array): Extracted<Proof> =>
  findPreset(name)?.proofIn?.(bytes) ?? found({});

/** Every header of any of them that carries a signature or a token. */
export const secretHeaders = (): string[] => presets.flatMap(preset => preset.secretHeaders);
