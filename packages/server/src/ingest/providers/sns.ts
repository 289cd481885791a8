import { verify as isVerified, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { minutes } from '../../core/clock.ts';
import { messageOf, Problem } from '../../core/errors.ts';
import { tooManyFetches } from '../verification/fetch-text.ts';
import { isObject, questionIn, readProof, textsOf } from '../verification/in-body.ts';
import type { Mismatch, Verdict } from '../verification/mismatch.ts';
import type { Preset, ProviderPorts } from '../verification/preset.ts';
import { found, type Proof, type Received } from '../verification/received.ts';

/** Amazon SNS: signed with a certificate that is fetched from AWS, over fields of the message. */

/** Certificates and confirmations come from there and nowhere else. */
const HOST = /^sns\.[a-z0-9-]{2,32}\.amazonaws\.com(\.cn)?$/;
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9A-Za-z-]{1,64}\.pem$/;
const MOST_CERTIFICATES = 8;

/** Anybody who knows the address can name certificates there: fetching them is kept within bounds. */
const MOST_FETCHES = 2;
const MOST_FAILURES = 256;
const FAILURE_COUNTS_MS = minutes(1);

/** What is signed of each type, by name and in this order; a field that is absent is left out. */
const NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

function ofAws(text: unknown): string | null {
  if (typeof text !== 'string' || !URL.canParse(text)) return null;
  const { protocol, hostname, host, username, password, href } = new URL(text);
  const isPlain = protocol === 'https:' && host === hostname && username === '' && password === '';
  return isPlain && HOST.test(hostname) ? href : null;
}

/** Null where a certificate of Amazon SNS cannot lie there. */
function certificateAddress(text: unknown): string | null {
  const url = ofAws(text);
  return url !== null && CERTIFICATE_PATH.test(url.slice(new URL(url).origin.length)) ? url : null;
}

function signedText(message: Proof): string {
  const names = message.Type === 'Notification' ? NOTIFICATION : CONFIRMATION;
  return names
    .filter(name => message[name] !== undefined)
    .map(name => `${name}\n${message[name]}\n`)
    .join('');
}

const refused = (reason: string): Mismatch => ({ part: 'certificate_refused', reason });

export const sns: Preset = {
  name: 'sns',
  title: 'Amazon SNS',
  also: ['AWS', 'Simple Notification Service', 'CloudWatch', 'Amazon SES'],
  steps: [
    'Create this source.',
    'Open the topic in the AWS console, then Create subscription: protocol HTTPS, the URL of this source as the endpoint.',
    'The subscription is confirmed by itself.',
  ],
  documentation: 'Amazon SNS Developer Guide: Verifying the signatures of messages',
  fields: {},
  signature:
    'RSA over fields of the message, by a certificate that is fetched from `sns.<region>.amazonaws.com`.',
  note: 'Any topic that has the URL may send: keep it to yourself. `SubscriptionConfirmation` is answered by a visit to its `SubscribeURL` and creates no event.',
  secretHeaders: [],
  proofIn: bytes =>
    readProof(bytes, message => {
      const required = textsOf(message, ['Type', 'Signature', 'SigningCertURL']);
      if (!required.ok) return required;
      const texts: Record<string, string> = { ...required.value };
      for (const name of [...CONFIRMATION, 'Subject', 'SignatureVersion']) {
        const value = message[name];
        if (typeof value === 'string') texts[name] = value;
      }
      return found(texts);
    }),
  prepare(_keys, ports) {
    const certificateOf = createCertificates(ports);
    return {
      verify: received => verify(received, certificateOf),
      confirm: received => confirmSubscription(received, ports),
    };
  },
  // Attributes of a message are not signed with it.
  isIdAloneSigned: () => true,
  body: { typeFrom: { path: 'payload.Type', prefix: 'sns.' }, deliveryId: ['payload.MessageId'] },
};

type CertificateOf = (url: string, now: number) => Promise<X509Certificate>;

/** Those of one source. What is being fetched, or could not be, puts none out that is in use. */
function createCertificates(ports: ProviderPorts): CertificateOf {
  const certificates = new LRUCache<string, X509Certificate>({ max: MOST_CERTIFICATES });
  const fetching = new Map<string, Promise<X509Certificate>>();
  const failures = new LRUCache<string, { readonly error: unknown; readonly until: number }>({
    max: MOST_FAILURES,
  });

  async function fetchCertificate(url: string, now: number): Promise<X509Certificate> {
    try {
      const certificate = new X509Certificate(await ports.fetchText(url));
      certificates.set(url, certificate);
      return certificate;
    } catch (error) {
      // One that nobody had time to ask for has not failed.
      if (!(error instanceof Problem)) failures.set(url, { error, until: now + FAILURE_COUNTS_MS });
      throw error;
    } finally {
      fetching.delete(url);
    }
  }

  return async (url, now) => {
    const known = certificates.get(url) ?? fetching.get(url);
    if (known !== undefined) return known;
    const failure = failures.get(url);
    if (failure !== undefined && now < failure.until) throw failure.error;
    if (fetching.size >= MOST_FETCHES) throw tooManyFetches();
    const fetched = fetchCertificate(url, now);
    fetching.set(url, fetched);
    return fetched;
  };
}

async function verify(received: Received, certificateOf: CertificateOf): Promise<Verdict> {
  const proof = await received.proof();
  if (!proof.ok) return proof.mismatch;
  const message = proof.value;
  const url = certificateAddress(message.SigningCertURL);
  if (url === null) return refused('SigningCertURL is no address of Amazon SNS.');
  let certificate: X509Certificate;
  try {
    certificate = await certificateOf(url, received.now);
  } catch (error) {
    if (error instanceof Problem) throw error;
    // Amazon gives up what is refused: a certificate that is away for a moment must not lose a message.
    throw new Problem('storage_unavailable', {
      message: 'This request cannot be verified now. Send it again.',
      reason: `The certificate could not be fetched: ${messageOf(error)}`,
      retryAfter: 60,
    });
  }
  if (Date.parse(certificate.validTo) < received.now) return refused('it has expired.');
  const algorithm = message.SignatureVersion === '2' ? 'sha256' : 'sha1';
  const signature = Buffer.from(message.Signature ?? '', 'base64');
  return isVerified(algorithm, Buffer.from(signedText(message)), certificate.publicKey, signature)
    ? null
    : { part: 'signature_differs', where: 'Signature', over: 'the fields of this message' };
}

/** Amazon sends nothing before somebody has visited the address that it gives here. */
async function confirmSubscription({ bytes }: Received, ports: ProviderPorts): Promise<Response | null> {
  const question = questionIn(bytes, 'SubscriptionConfirmation');
  if (!isObject(question) || question.Type !== 'SubscriptionConfirmation') return null;
  const url = ofAws(question.SubscribeURL);
  if (url === null)
    throw new Problem('unauthenticated', { reason: 'SubscribeURL is no address of Amazon SNS.' });
  try {
    await ports.fetchText(url);
  } catch (error) {
    throw new Problem('storage_unavailable', {
      message: 'The subscription could not be confirmed now. Send it again.',
      reason: `The subscription could not be confirmed: ${messageOf(error)}`,
      retryAfter: 10,
    });
  }
  return new Response(null);
}
