import { type Preset, signedByFirst } from '../verification/preset.ts';
import type { Received } from '../verification/received.ts';
import type { HmacScheme } from '../verification/scheme.ts';
import { chosenSecret } from './fields.ts';

/** GitHub, and the forges whose webhooks are made after it. */

const hub: HmacScheme = {
  header: 'x-hub-signature-256',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: 'sha256=',
  signed: '{body}',
};

/** A forge asks so, signed, whether somebody listens; it is no event. */
const answerPing = ({ headers }: Received): Response | null =>
  headers.get('x-github-event') === 'ping' ? new Response('pong') : null;

interface Forge extends Pick<Preset, 'name' | 'title' | 'also'> {
  /** Where to add a webhook. */
  readonly place: string;
  readonly documentation: string;
  /** The header with its own signature, hexadecimal and alone. */
  readonly ownSignature?: string;
  /** What its own headers begin with. */
  readonly ownHeaders: string;
  /** Of bodies in which the secret itself stands too. */
  readonly secretFields?: readonly string[];
}

function forge({
  name,
  title,
  also,
  place,
  documentation,
  ownSignature,
  ownHeaders,
  secretFields,
}: Forge): Preset {
  const own: HmacScheme[] =
    ownSignature === undefined
      ? []
      : [{ header: ownSignature, algorithm: 'sha256', encoding: 'hex', signed: '{body}' }];
  const signed = signedByFirst(own, hub);
  return {
    name,
    title,
    also,
    steps: [
      `Open ${place}.`,
      'Paste the URL of this source as the target URL, and choose application/json.',
      'Paste the secret of this source as the secret.',
    ],
    documentation,
    fields: { secret: chosenSecret },
    signature: `HMAC-SHA256 of the body, hexadecimal, in \`${ownSignature ?? 'x-hub-signature-256: sha256=…'}\`.`,
    note: 'A `ping` is answered and creates no event. Forms with a `payload` field are read as JSON.',
    // All of them sign with the older algorithm too.
    secretHeaders: [...signed.secretHeaders, 'x-hub-signature'],
    requiredHeaders: signed.requiredHeaders,
    prepare: keys => ({ ...signed.prepare(keys), confirm: answerPing }),
    body: {
      typeFrom: {
        header: ['x-github-event', `${ownHeaders}-event`],
        prefix: `${name}.`,
        andThen: 'payload.action',
      },
      formField: 'payload',
      ...(secretFields === undefined ? {} : { secretFields }),
    },
    deliveryHeaders: ['x-github-delivery', `${ownHeaders}-delivery`],
  };
}

export const github = forge({
  name: 'github',
  title: 'GitHub',
  place: 'the repository or organisation at GitHub, then Settings → Webhooks → Add webhook',
  documentation: 'GitHub Docs: Creating webhooks; Validating webhook deliveries',
  ownHeaders: 'x-github',
});

export const gitea = forge({
  name: 'gitea',
  title: 'Gitea',
  place: 'the repository at Gitea, then Settings → Webhooks → Add webhook → Gitea',
  documentation: 'Gitea Documentation: Webhooks',
  ownSignature: 'x-gitea-signature',
  ownHeaders: 'x-gitea',
  // Older versions send it beside the signature.
  secretFields: ['payload.secret'],
});

export const forgejo = forge({
  name: 'forgejo',
  title: 'Forgejo',
  also: ['Codeberg'],
  place: 'the repository at Forgejo, then Settings → Webhooks → Add webhook → Forgejo',
  documentation: 'Forgejo Documentation: Webhooks',
  ownSignature: 'x-forgejo-signature',
  ownHeaders: 'x-forgejo',
});
