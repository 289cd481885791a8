import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/**
 * Certificates for tests: an authority, and whatever it is asked to certify. Written out in DER, so that the tests
 * need no program beside the runtime.
 */
export interface Authority {
  /** To be trusted by clients. */
  readonly ca: string;
  certify(names: readonly string[], validity?: { from: Date; to: Date }): KeyAndCertificate;
}

export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;
const thisMonth = () => ({ from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + 30 * DAY_MS) });

export function createAuthority(): Authority {
  const name = `Test authority ${randomBytes(4).toString('hex')}`;
  const own = keyPair();
  const constraints = extension('2.5.29.19', true, sequence(der(0x01, Buffer.from([0xff]))));
  const keyIdentifier = createHash('sha1').update(own.spki).digest();
  const identifies = extension('2.5.29.14', false, der(0x04, keyIdentifier));
  return {
    ca: certificate(name, name, own, own.privateKey, thisMonth(), [constraints, identifies]),
    certify(names, validity = thisMonth()) {
      const pair = keyPair();
      const alternatives = extension('2.5.29.17', false, sequence(...names.map(alternativeName)));
      const issuedBy = extension('2.5.29.35', false, sequence(der(0x80, keyIdentifier)));
      const cert = certificate(name, names[0] ?? 'test', pair, own.privateKey, validity, [
        alternatives,
        issuedBy,
      ]);
      return { key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
    },
  };
}

interface Pair {
  readonly privateKey: KeyObject;
  readonly spki: Buffer;
}

function keyPair(): Pair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, spki: publicKey.export({ type: 'spki', format: 'der' }) };
}

function certificate(
  issuer: string,
  subject: string,
  pair: Pair,
  signingKey: KeyObject,
  validity: { from: Date; to: Date },
  extensions: readonly Buffer[],
): string {
  const algorithm = sequence(objectId('1.2.840.10045.4.3.2'));
  const serial = Buffer.concat([Buffer.from([0x01]), randomBytes(8)]);
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    commonName(issuer),
    sequence(utcTime(validity.from), utcTime(validity.to)),
    commonName(subject),
    pair.spki,
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, signingKey);
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...items: Buffer[]): Buffer => der(0x30, ...items);

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

const commonName = (name: string): Buffer =>
  sequence(der(0x31, sequence(objectId('2.5.4.3'), der(0x0c, Buffer.from(name)))));

const utcTime = (date: Date): Buffer =>
  der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

const extension = (id: string, isCritical: boolean, value: Buffer): Buffer =>
  sequence(objectId(id), ...(isCritical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value));

const alternativeName = (name: string): Buffer =>
  isIP(name) === 4 ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));
