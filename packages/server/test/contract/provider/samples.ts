import { createHash, createHmac, createPrivateKey, generateKeyPairSync, sign as signWith } from 'node:crypto';
import { createAuthority } from '../../support/tls.ts';

/**
 * A genuine request of each provider, signed here as its documentation says and not with the code under test. Secrets
 * and bodies are made up.
 */
export interface Sample {
  readonly name: string;
  /** As `POST /sources` takes them. */
  readonly keys: SampleKeys;
  readonly body: string;
  readonly contentType?: string;
  /** Headers beside those that sign it. */
  readonly headers?: Readonly<Record<string, string>>;
  sign(draft: Draft, keys: SampleKeys): Signed;
  /** What it becomes. */
  readonly types: readonly string[];
  /** Where the signature stands; null: inside the body, in the URL, or nowhere. */
  readonly signatureHeader: string | null;
  /** A body that is not signed may change on its way. */
  readonly isBodyUnsigned?: true;
  /** An old timestamp is refused. */
  readonly isTimed?: true;
  /** The header is a list, and may come twice. */
  readonly isList?: true;
  /** The secret stands in the URL that the provider is given. */
  readonly isInUrl?: true;
  /** Nothing is verified. */
  readonly isOpen?: true;
  /** What it is answered where that is no 202. */
  readonly status?: number;
  /** The provider's id of the delivery or of its events: sent again, they are duplicates. */
  readonly isKeyed?: true;
}

export interface SampleKeys {
  readonly secret?: string;
  readonly public_key?: string;
  readonly verify_token?: string;
  readonly verify_with?: 'none' | 'bearer' | 'hmac';
  /** Of a key pair; stays with the sender. */
  readonly private_key?: string;
}

export interface Draft {
  readonly url: string;
  readonly body: string;
  /** Unix seconds. */
  readonly at: number;
}

interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  /** Where the signature is a part of it. */
  readonly body?: string;
  /** Likewise. */
  readonly url?: string;
}

type Hash = 'sha1' | 'sha256';
const hmac = (hash: Hash, secret: string | Buffer, text: string, encoding: 'hex' | 'base64'): string =>
  createHmac(hash, secret).update(text).digest(encoding);

/** A signature of the body alone, in one header. */
const plain =
  (header: string, hash: Hash, encoding: 'hex' | 'base64', prefix = '') =>
  ({ body }: Draft, { secret = '' }: SampleKeys): Signed => ({
    headers: { [header]: prefix + hmac(hash, secret, body, encoding) },
  });

const inV0 =
  (header: string, timestamp: string) =>
  ({ body, at }: Draft, { secret = '' }: SampleKeys): Signed => ({
    headers: {
      [timestamp]: String(at),
      [header]: `v0=${hmac('sha256', secret, `v0:${at}:${body}`, 'hex')}`,
    },
  });

const token =
  (header: string) =>
  (_draft: Draft, { secret = '' }: SampleKeys): Signed => ({ headers: { [header]: secret } });

const FORM = 'application/x-www-form-urlencoded';
const secret = 'a secret of the provider';

/** Each of these has a pair of keys in PEM; the public one as the provider shows it. */
function p256(): SampleKeys {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    public_key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function ed25519(): SampleKeys {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    public_key: publicKey.export({ type: 'spki', format: 'der' }).subarray(12).toString('hex'),
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const sortedFields = (body: string): string =>
  [...new URLSearchParams(body)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(pair => pair.join(''))
    .join('');

const SNS_FIELDS = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];

export const snsCertificate = createAuthority().certify(['sns.amazonaws.com']);

/** An SNS message with its signature. */
export function signSns(
  message: Readonly<Record<string, string>>,
  fields = SNS_FIELDS,
  key = snsCertificate.key,
): string {
  const text = fields
    .filter(name => message[name] !== undefined)
    .map(name => `${name}\n${message[name]}\n`)
    .join('');
  const signature = signWith('sha256', Buffer.from(text), createPrivateKey(key)).toString('base64');
  return JSON.stringify({
    ...message,
    SignatureVersion: '2',
    Signature: signature,
    SigningCertURL: 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0123abcd.pem',
  });
}

export const samples: readonly Sample[] = [
  {
    name: 'github',
    keys: { secret },
    body: '{"action":"opened","number":7}',
    headers: { 'x-github-event': 'pull_request', 'x-github-delivery': 'd-1' },
    sign: plain('x-hub-signature-256', 'sha256', 'hex', 'sha256='),
    types: ['github.pull_request.opened'],
    signatureHeader: 'x-hub-signature-256',
    isKeyed: true,
  },
  {
    name: 'gitea',
    keys: { secret },
    body: '{"ref":"refs/heads/main"}',
    headers: { 'x-github-event': 'push', 'x-gitea-event': 'push', 'x-gitea-delivery': 'd-2' },
    // As older versions do, which send the secret itself too.
    sign: ({ body }, { secret = '' }) => {
      const sent = JSON.stringify({ secret, ...JSON.parse(body) });
      return { headers: { 'x-gitea-signature': hmac('sha256', secret, sent, 'hex') }, body: sent };
    },
    types: ['gitea.push'],
    signatureHeader: 'x-gitea-signature',
    isKeyed: true,
  },
  {
    name: 'forgejo',
    keys: { secret },
    body: `payload=${encodeURIComponent('{"ref":"refs/heads/main"}')}`,
    contentType: FORM,
    headers: { 'x-forgejo-event': 'push', 'x-forgejo-delivery': 'd-3' },
    sign: plain('x-forgejo-signature', 'sha256', 'hex'),
    types: ['forgejo.push'],
    signatureHeader: 'x-forgejo-signature',
    isKeyed: true,
  },
  {
    name: 'gitlab',
    keys: { secret },
    body: '{"object_kind":"push"}',
    headers: { 'x-gitlab-event': 'Push Hook', 'idempotency-key': 'i-1', 'x-gitlab-event-uuid': 'u-1' },
    sign: token('x-gitlab-token'),
    types: ['gitlab.Push Hook'],
    signatureHeader: 'x-gitlab-token',
    isBodyUnsigned: true,
    isKeyed: true,
  },
  {
    name: 'stripe',
    keys: { secret: 'whsec_stripe' },
    body: '{"id":"evt_1","type":"invoice.paid","data":{"object":{}}}',
    sign: ({ body, at }, { secret = '' }) => ({
      headers: { 'stripe-signature': `t=${at},v1=${hmac('sha256', secret, `${at}.${body}`, 'hex')},v0=old` },
    }),
    types: ['invoice.paid'],
    signatureHeader: 'stripe-signature',
    isList: true,
    isTimed: true,
    isKeyed: true,
  },
  {
    name: 'shopify',
    keys: { secret },
    body: '{"id":820982911946154508}',
    headers: { 'x-shopify-topic': 'orders/create', 'x-shopify-webhook-id': 'w-1' },
    sign: plain('x-shopify-hmac-sha256', 'sha256', 'base64'),
    types: ['shopify.orders/create'],
    signatureHeader: 'x-shopify-hmac-sha256',
    isKeyed: true,
  },
  {
    name: 'slack',
    keys: { secret },
    body: '{"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention"}}',
    sign: inV0('x-slack-signature', 'x-slack-request-timestamp'),
    types: ['slack.app_mention'],
    signatureHeader: 'x-slack-signature',
    isTimed: true,
    isKeyed: true,
  },
  {
    name: 'standard-webhooks',
    keys: { secret: `whsec_${Buffer.from('twenty-four bytes of key').toString('base64')}` },
    body: '{"type":"contact.created","data":{"id":1}}',
    headers: { 'webhook-id': 'msg_1' },
    sign: ({ body, at }, { secret = '' }) => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const signature = hmac('sha256', key, `msg_1.${at}.${body}`, 'base64');
      return {
        headers: { 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature} v1a,other` },
      };
    },
    types: ['contact.created'],
    signatureHeader: 'webhook-signature',
    isTimed: true,
    isList: true,
    isKeyed: true,
  },
  {
    name: 'twilio',
    keys: { secret },
    body: 'To=%2B15551234&From=%2B15556789&Body=Hello+there',
    contentType: FORM,
    headers: { 'i-twilio-idempotency-token': 't-1' },
    sign: ({ url, body }, { secret = '' }) => ({
      headers: { 'x-twilio-signature': hmac('sha1', secret, url + sortedFields(body), 'base64') },
    }),
    types: ['webhook.in.received'],
    signatureHeader: 'x-twilio-signature',
    status: 200,
    isKeyed: true,
  },
  {
    name: 'sendgrid',
    keys: p256(),
    body: '[{"sg_event_id":"a","event":"delivered"},{"sg_event_id":"b","event":"open"}]\r\n',
    sign: ({ body, at }, { private_key = '' }) => ({
      headers: {
        'x-twilio-email-event-webhook-timestamp': String(at),
        'x-twilio-email-event-webhook-signature': signWith(
          'sha256',
          Buffer.from(at + body),
          createPrivateKey(private_key),
        ).toString('base64'),
      },
    }),
    types: ['webhook.in.received', 'webhook.in.received'],
    signatureHeader: 'x-twilio-email-event-webhook-signature',
    isKeyed: true,
  },
  {
    name: 'mailgun',
    keys: { secret },
    body: '{"event-data":{"event":"opened"}}',
    sign: ({ body, at }, { secret = '' }) => {
      const signature = {
        timestamp: String(at),
        token: 'tok',
        signature: hmac('sha256', secret, `${at}tok`, 'hex'),
      };
      return { headers: {}, body: JSON.stringify({ ...JSON.parse(body), signature }) };
    },
    types: ['mailgun.opened'],
    signatureHeader: null,
    isBodyUnsigned: true,
    isKeyed: true,
  },
  {
    name: 'paddle',
    keys: { secret: 'pdl_ntfset_1' },
    body: '{"event_id":"evt_1","event_type":"transaction.completed"}',
    sign: ({ body, at }, { secret = '' }) => ({
      headers: { 'paddle-signature': `ts=${at};h1=${hmac('sha256', secret, `${at}:${body}`, 'hex')}` },
    }),
    types: ['paddle.transaction.completed'],
    signatureHeader: 'paddle-signature',
    isTimed: true,
    isKeyed: true,
  },
  {
    name: 'square',
    keys: { secret },
    body: '{"event_id":"e-1","type":"payment.created"}',
    sign: ({ url, body }, { secret = '' }) => ({
      headers: { 'x-square-hmacsha256-signature': hmac('sha256', secret, url + body, 'base64') },
    }),
    types: ['payment.created'],
    signatureHeader: 'x-square-hmacsha256-signature',
    isKeyed: true,
  },
  {
    name: 'zoom',
    keys: { secret },
    body: '{"event":"meeting.started","payload":{"object":{}}}',
    sign: inV0('x-zm-signature', 'x-zm-request-timestamp'),
    types: ['zoom.meeting.started'],
    signatureHeader: 'x-zm-signature',
    isTimed: true,
  },
  {
    name: 'linear',
    keys: { secret },
    body: '{"type":"Issue","action":"create"}',
    headers: { 'linear-delivery': 'l-1' },
    sign: plain('linear-signature', 'sha256', 'hex'),
    types: ['linear.Issue.create'],
    signatureHeader: 'linear-signature',
    isKeyed: true,
  },
  {
    name: 'typeform',
    keys: { secret },
    body: '{"event_id":"t-1","event_type":"form_response"}',
    sign: plain('typeform-signature', 'sha256', 'base64', 'sha256='),
    types: ['typeform.form_response'],
    signatureHeader: 'typeform-signature',
    isKeyed: true,
  },
  {
    name: 'intercom',
    keys: { secret },
    body: '{"id":"notif_1","topic":"conversation.user.created"}',
    sign: plain('x-hub-signature', 'sha1', 'hex', 'sha1='),
    types: ['intercom.conversation.user.created'],
    signatureHeader: 'x-hub-signature',
    isKeyed: true,
  },
  {
    name: 'calendly',
    keys: { secret },
    body: '{"event":"invitee.created","payload":{}}',
    sign: ({ body, at }, { secret = '' }) => ({
      headers: {
        'calendly-webhook-signature': `t=${at},v1=${hmac('sha256', secret, `${at}.${body}`, 'hex')}`,
      },
    }),
    types: ['calendly.invitee.created'],
    signatureHeader: 'calendly-webhook-signature',
    isTimed: true,
  },
  {
    name: 'hubspot',
    keys: { secret },
    body: '[{"eventId":1,"subscriptionId":2,"occurredAt":3,"subscriptionType":"contact.creation"}]',
    sign: ({ url, body, at }, { secret = '' }) => ({
      headers: {
        'x-hubspot-request-timestamp': String(at * 1_000),
        'x-hubspot-signature-v3': hmac('sha256', secret, `POST${url}${body}${at * 1_000}`, 'base64'),
      },
    }),
    types: ['hubspot.contact.creation'],
    signatureHeader: 'x-hubspot-signature-v3',
    isTimed: true,
    isKeyed: true,
  },
  {
    name: 'xero',
    keys: { secret },
    body: '{"events":[],"firstEventSequence":0}',
    sign: plain('x-xero-signature', 'sha256', 'base64'),
    types: ['webhook.in.received'],
    signatureHeader: 'x-xero-signature',
    status: 200,
  },
  {
    name: 'dropbox',
    keys: { secret },
    body: '{"list_folder":{"accounts":["dbid:a"]}}',
    sign: plain('x-dropbox-signature', 'sha256', 'hex'),
    types: ['webhook.in.received'],
    signatureHeader: 'x-dropbox-signature',
  },
  {
    name: 'woocommerce',
    keys: { secret },
    body: '{"id":1}',
    headers: { 'x-wc-webhook-topic': 'order.created', 'x-wc-webhook-delivery-id': 'wc-1' },
    sign: plain('x-wc-webhook-signature', 'sha256', 'base64'),
    types: ['woocommerce.order.created'],
    signatureHeader: 'x-wc-webhook-signature',
    isKeyed: true,
  },
  {
    name: 'bitbucket',
    keys: { secret },
    body: '{"push":{}}',
    headers: { 'x-event-key': 'repo:push', 'x-request-uuid': 'b-1' },
    sign: plain('x-hub-signature', 'sha256', 'hex', 'sha256='),
    types: ['bitbucket.repo:push'],
    signatureHeader: 'x-hub-signature',
    isKeyed: true,
  },
  {
    name: 'jira',
    keys: { secret },
    body: '{"webhookEvent":"jira:issue_created"}',
    headers: { 'x-atlassian-webhook-identifier': 'j-1' },
    sign: plain('x-hub-signature', 'sha256', 'hex', 'sha256='),
    types: ['jira.jira:issue_created'],
    signatureHeader: 'x-hub-signature',
    isKeyed: true,
  },
  {
    name: 'pagerduty',
    keys: { secret },
    body: '{"event":{"id":"01","event_type":"incident.triggered"}}',
    sign: ({ body }, { secret = '' }) => ({
      headers: {
        'x-pagerduty-signature': `v1=${'0'.repeat(64)},v1=${hmac('sha256', secret, body, 'hex')}`,
      },
    }),
    types: ['pagerduty.incident.triggered'],
    signatureHeader: 'x-pagerduty-signature',
    isList: true,
    isKeyed: true,
  },
  {
    name: 'sentry',
    keys: { secret },
    body: '{"action":"created","data":{}}',
    headers: { 'sentry-hook-resource': 'issue', 'request-id': 's-1' },
    sign: plain('sentry-hook-signature', 'sha256', 'hex'),
    types: ['sentry.issue.created'],
    signatureHeader: 'sentry-hook-signature',
    isKeyed: true,
  },
  {
    name: 'vercel',
    keys: { secret },
    body: '{"id":"v-1","type":"deployment.created"}',
    sign: plain('x-vercel-signature', 'sha1', 'hex'),
    types: ['deployment.created'],
    signatureHeader: 'x-vercel-signature',
    isKeyed: true,
  },
  {
    name: 'discord',
    keys: ed25519(),
    body: '{"id":"9","type":2,"data":{"name":"hello"}}',
    sign: ({ body, at }, { private_key = '' }) => ({
      headers: {
        'x-signature-timestamp': String(at),
        'x-signature-ed25519': signWith(null, Buffer.from(at + body), createPrivateKey(private_key)).toString(
          'hex',
        ),
      },
    }),
    types: ['discord.2'],
    signatureHeader: 'x-signature-ed25519',
    status: 204,
    isKeyed: true,
  },
  {
    name: 'telegram',
    keys: { secret: 'a-secret_token' },
    body: '{"update_id":10000,"message":{"text":"/start"}}',
    sign: token('x-telegram-bot-api-secret-token'),
    types: ['webhook.in.received'],
    signatureHeader: 'x-telegram-bot-api-secret-token',
    isBodyUnsigned: true,
    isKeyed: true,
  },
  {
    name: 'meta',
    keys: { secret, verify_token: 'agreed on' },
    body: '{"object":"whatsapp_business_account","entry":[]}',
    sign: plain('x-hub-signature-256', 'sha256', 'hex', 'sha256='),
    types: ['meta.whatsapp_business_account'],
    signatureHeader: 'x-hub-signature-256',
  },
  {
    name: 'strava',
    keys: { verify_token: 'agreed on' },
    body: '{"object_type":"activity","object":"activity","aspect_type":"create"}',
    sign: () => ({ headers: {} }),
    types: ['strava.activity'],
    signatureHeader: null,
    isBodyUnsigned: true,
    isOpen: true,
  },
  {
    name: 'microsoft-graph',
    keys: { secret },
    body: '{"value":[{"changeType":"updated"},{"changeType":"updated"}]}',
    sign: ({ body }, { secret = '' }) => {
      const { value } = JSON.parse(body) as { value: object[] };
      return {
        headers: {},
        body: JSON.stringify({ value: value.map(item => ({ ...item, clientState: secret })) }),
      };
    },
    types: ['microsoft-graph.updated'],
    signatureHeader: null,
    isBodyUnsigned: true,
  },
  {
    name: 'cloudevents',
    keys: { secret, verify_with: 'hmac' },
    body: '{"specversion":"1.0","type":"com.example.made","source":"/shop","id":"1","data":{"n":1}}',
    contentType: 'application/cloudevents+json; charset=utf-8',
    sign: plain('x-ingest-signature', 'sha256', 'hex'),
    types: ['com.example.made'],
    signatureHeader: 'x-ingest-signature',
    isKeyed: true,
  },
  {
    name: 'sns',
    keys: { private_key: snsCertificate.key },
    body: '{"Type":"Notification","MessageId":"m-1","TopicArn":"arn:aws:sns:eu-central-1:1:t","Message":"hello","Timestamp":"2026-01-01T00:00:00.000Z"}',
    contentType: 'text/plain; charset=UTF-8',
    sign: ({ body }, { private_key }) => ({
      headers: {},
      body: signSns(JSON.parse(body), SNS_FIELDS, private_key),
    }),
    types: ['sns.Notification'],
    signatureHeader: null,
    isKeyed: true,
  },
  {
    name: 'docusign',
    keys: { secret },
    body: '{"event":"envelope-completed"}',
    sign: plain('x-docusign-signature-1', 'sha256', 'base64'),
    types: ['docusign.envelope-completed'],
    signatureHeader: 'x-docusign-signature-1',
  },
  {
    name: 'mandrill',
    keys: { secret },
    body: `mandrill_events=${encodeURIComponent('[{"event":"send","_id":"1","ts":1},{"event":"open","_id":"1","ts":2}]')}`,
    contentType: FORM,
    sign: ({ url, body }, { secret = '' }) => ({
      headers: { 'x-mandrill-signature': hmac('sha1', secret, url + sortedFields(body), 'base64') },
    }),
    types: ['mandrill.send', 'mandrill.open'],
    signatureHeader: 'x-mandrill-signature',
    isKeyed: true,
  },
  {
    name: 'postmark',
    keys: { secret: 'user:password' },
    body: '{"RecordType":"Delivery"}',
    sign: (_draft, { secret = '' }) => ({
      headers: { authorization: `Basic ${Buffer.from(secret).toString('base64')}` },
    }),
    types: ['postmark.Delivery'],
    signatureHeader: 'authorization',
    isBodyUnsigned: true,
  },
  {
    name: 'adyen',
    keys: { secret: '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056' },
    body: '{"live":"false","notificationItems":[{"NotificationRequestItem":{"eventCode":"AUTHORISATION","success":"true","pspReference":"7914073381342284","merchantAccountCode":"TestMerchant","merchantReference":"TestPayment-1407325143704","amount":{"currency":"EUR","value":1130}}}]}',
    sign: ({ body }, { secret = '' }) => {
      const notification = JSON.parse(body);
      const { NotificationRequestItem: item } = notification.notificationItems[0];
      const signed = [item.pspReference, '', item.merchantAccountCode, item.merchantReference];
      signed.push(item.amount.value, item.amount.currency, item.eventCode, item.success);
      const hmacSignature = hmac('sha256', Buffer.from(secret, 'hex'), signed.join(':'), 'base64');
      item.additionalData = { hmacSignature };
      return { headers: {}, body: JSON.stringify(notification) };
    },
    types: ['adyen.AUTHORISATION'],
    signatureHeader: null,
    status: 200,
    isKeyed: true,
  },
  {
    name: 'azure-event-grid',
    keys: { secret },
    body: '[{"id":"1","eventType":"Microsoft.Storage.BlobCreated","data":{}},{"id":"2","eventType":"Microsoft.Storage.BlobDeleted","data":{}}]',
    sign: ({ url }, { secret = '' }) => ({ headers: {}, url: `${url}?code=${encodeURIComponent(secret)}` }),
    types: [
      'azure-event-grid.Microsoft.Storage.BlobCreated',
      'azure-event-grid.Microsoft.Storage.BlobDeleted',
    ],
    signatureHeader: null,
    isBodyUnsigned: true,
    isInUrl: true,
    isKeyed: true,
  },
];

/** A secret in the form that this provider has, made of a text of letters, digits and hyphens. */
export function secretLike({ keys: { secret = '' } }: Sample, text: string): string {
  if (secret.startsWith('whsec_')) return `whsec_${Buffer.from(text).toString('base64')}`;
  if (secret.includes(':')) return `user:${text}`;
  return /^[0-9A-F]+$/.test(secret) ? Buffer.from(text).toString('hex') : text;
}

/** The keys of somebody else. */
export function otherKeys({ keys }: Sample): SampleKeys {
  if (keys.private_key !== undefined && keys.public_key === undefined)
    return { private_key: createAuthority().certify(['x']).key };
  if (keys.public_key !== undefined) return keys.public_key.length === 64 ? ed25519() : p256();
  const [before, after] = [keys.secret?.slice(0, -1) ?? '', keys.secret?.endsWith('a') ? 'b' : 'a'];
  // The last character of base64 may stand for no more than padding.
  return {
    ...keys,
    secret: keys.secret?.startsWith('whsec_')
      ? `whsec_${createHash('sha256').digest('base64')}`
      : before + after,
  };
}
