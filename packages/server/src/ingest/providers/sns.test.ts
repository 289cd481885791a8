import { expect, test } from 'bun:test';
import { signSns, snsCertificate } from '../../../test/contract/provider/samples.ts';
import { proofIn } from './registry.ts';
import { sns } from './sns.ts';

const NOW = Date.now();

/** Amazon's own addresses cannot be reached from a test: what is fetched there is handed in. */
function open(answer: (url: string) => string | Promise<string> = () => snsCertificate.cert) {
  const fetched: string[] = [];
  const provider = sns.prepare(
    { secrets: [''], publicKey: null, verifyToken: null, verifyWith: 'bearer' },
    {
      async fetchText(url) {
        fetched.push(url);
        return answer(url);
      },
    },
  );
  const received = (body: string, now = NOW) => {
    const bytes = new TextEncoder().encode(body);
    const proof = () => proofIn('sns', bytes);
    return { method: 'POST', headers: new Headers(), bytes, url: () => '', proof, now };
  };
  return {
    fetched,
    verify: async (body: string, now?: number) => provider.verify(received(body, now)),
    confirm: async (body: string) => provider.confirm?.(received(body)),
  };
}

/** A message that names this certificate. */
const signedWith = (url: string) =>
  JSON.stringify({ ...JSON.parse(signSns(notification)), SigningCertURL: url });
const certificateUrl = (name: string) =>
  `https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-${name}.pem`;
const unavailable = (reason: string) => ({
  code: 'storage_unavailable',
  reason: expect.stringContaining(reason),
});

const notification = {
  Type: 'Notification',
  MessageId: 'm',
  TopicArn: 'arn:aws:sns:eu-central-1:1:t',
  Subject: 's',
  Message: 'hello',
  Timestamp: '2026-01-01T00:00:00.000Z',
};
const confirmation = {
  Type: 'SubscriptionConfirmation',
  MessageId: 'm',
  TopicArn: 'arn:aws:sns:eu-central-1:1:t',
  Token: 'token',
  SubscribeURL: 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=token',
  Message: 'You have chosen to subscribe.',
  Timestamp: '2026-01-01T00:00:00.000Z',
};
const CONFIRMED = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];

test('a certificate is fetched once', async () => {
  const { verify, fetched } = open();
  expect(await Promise.all([verify(signSns(notification)), verify(signSns(notification))])).toEqual([
    null,
    null,
  ]);
  expect(fetched).toHaveLength(1);
});

test('a certificate from anywhere but Amazon is never fetched', async () => {
  const { verify, fetched } = open();
  for (const url of [
    'https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-1.pem',
    'http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem',
    'https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-1.pem',
    'https://user@sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem',
    'https://sns.eu-central-1.amazonaws.com/upload/1.pem',
    'https://bucket.s3.amazonaws.com/SimpleNotificationService-1.pem',
    'https://:password@sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem',
    'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem?',
    'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem?a=1',
    'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem#a',
    'https://169.254.169.254/SimpleNotificationService-1.pem',
    'file:///etc/passwd',
  ]) {
    expect(await verify(signedWith(url))).toMatchObject({ part: 'certificate_refused' });
  }
  expect(fetched).toEqual([]);
});

test('one that cannot be fetched is asked for again after a minute; until then its messages are to come again', async () => {
  let fails = true;
  const { verify, fetched } = open(() => {
    if (fails) throw new Error('It answered 503.');
    return snsCertificate.cert;
  });
  await expect(verify(signSns(notification))).rejects.toMatchObject(unavailable('It answered 503.'));
  fails = false;
  await expect(verify(signSns(notification), NOW + 59_999)).rejects.toMatchObject(
    unavailable('It answered 503.'),
  );
  expect(fetched).toHaveLength(1);
  expect(await verify(signSns(notification), NOW + 60_000)).toBeNull();
});

test('one source fetches two certificates at a time, and what comes meanwhile is to come again', async () => {
  const asked = Promise.withResolvers<string>();
  const { verify, fetched } = open(() => asked.promise);
  const first = [certificateUrl('a'), certificateUrl('b')].map(url => verify(signedWith(url)));
  await expect(verify(signedWith(certificateUrl('c')))).rejects.toMatchObject(unavailable('at a time'));
  expect(fetched).toEqual([certificateUrl('a'), certificateUrl('b')]);
  asked.resolve(snsCertificate.cert);
  expect(await Promise.all(first)).toEqual([null, null]);
  expect(await verify(signedWith(certificateUrl('c')))).toBeNull();
});

test('certificates that nobody has put none out that is in use', async () => {
  const { verify, fetched } = open(url => (url === certificateUrl('used') ? snsCertificate.cert : 'none'));
  expect(await verify(signedWith(certificateUrl('used')))).toBeNull();
  for (let i = 0; i < 10; i++)
    await expect(verify(signedWith(certificateUrl(`${i}`)))).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
  expect(await verify(signedWith(certificateUrl('used')))).toBeNull();
  expect(fetched).toHaveLength(11);
});

test('a subscription is confirmed by a visit to its address, and is no event', async () => {
  const { verify, confirm, fetched } = open();
  const body = signSns(confirmation, CONFIRMED);
  expect(await verify(body)).toBeNull();
  expect((await confirm(body))?.status).toBe(200);
  expect(fetched.at(-1)).toBe(confirmation.SubscribeURL);
  expect(await confirm(signSns(notification))).toBeNull();
});

test('an address elsewhere is never visited, and one that does not answer is tried again later', async () => {
  const elsewhere = open();
  const body = signSns({ ...confirmation, SubscribeURL: 'https://internal.example/' }, CONFIRMED);
  await expect(elsewhere.confirm(body)).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(elsewhere.fetched).toEqual([]);
  const down = open(() => {
    throw new Error('It answered 500.');
  });
  await expect(down.confirm(signSns(confirmation, CONFIRMED))).rejects.toMatchObject({
    code: 'storage_unavailable',
    retryAfter: 10,
  });
});
