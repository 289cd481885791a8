import type { ProviderDescription } from '../../core/kinds/provider-admin.ts';
import type { BodyRules } from '../reading/body-rules.ts';
import type { ProofReader } from './in-body.ts';
import type { Mismatch, Verdict } from './mismatch.ts';
import type { Received, Unread } from './received.ts';
import { type HmacScheme, schemeVerifier } from './scheme.ts';

/**
 * A provider of webhooks that describes itself: what to paste where, how it signs, how its bodies become events, how it
 * asks whether an address is ours. Form, reference and contract suite follow from it.
 */
export interface Preset extends Omit<ProviderDescription, 'type'> {
  /** Every header of its that carries a signature or a token; none of them is kept. */
  readonly secretHeaders: readonly string[];
  /** Without these a request is rejected before its body is read; of a list, one has to be there. */
  readonly requiredHeaders?: readonly (string | readonly string[])[];
  /** Where the signature lies inside the body, or covers its fields. */
  readonly proofIn?: ProofReader;
  readonly body?: BodyRules;
  /** Headers with the provider's id of a delivery, the first that is there. */
  readonly deliveryHeaders?: readonly string[];
  /**
   * Whether of this request's body some fields alone are signed, its own id among them. That id is the key then,
   * whatever else is said: a captured signature must not make a second event of another body.
   */
  isIdAloneSigned?(headers: Headers): boolean;
  /** What it wants to be answered; null: a 202 with the envelope. */
  answer?(received: Received): Response | null;
  prepare(keys: ProviderKeys, ports: ProviderPorts): PreparedProvider;
  /** What is wrong with what was pasted, where that can be known before the first request. */
  check?(keys: ProviderKeys): KeyFault | null;
}

interface KeyFault {
  readonly field: 'secret' | 'public_key' | 'verify_token' | 'url';
  readonly message: string;
}

/** What was pasted; the secret twice while it is being rotated. */
export interface ProviderKeys {
  readonly secrets: readonly string[];
  readonly publicKey: string | null;
  readonly verifyToken: string | null;
  readonly verifyWith: 'none' | 'bearer' | 'hmac';
}

/** What a preset may ask of the world. */
export interface ProviderPorts {
  /** Through the guarded client; rejects where it was not answered with a 200. */
  fetchText(url: string): Promise<string>;
}

/** A preset with the keys of one source. */
export interface PreparedProvider {
  /** Where the secret itself stands in a header or in the URL: the verdict; undefined where the body decides. */
  verifyUnread?(unread: Unread): Verdict | undefined;
  verify(received: Received): Verdict | Promise<Verdict>;
  /** Answers a provider that asks whether this address is ours; null where this request does not ask. */
  challenge?(request: Request): Response | null;
  /** The same for one that asks in a signed POST. */
  confirm?(received: Received): Response | null | Promise<Response | null>;
}

/** The first of the required headers that is not there. */
export function missingHeader({ requiredHeaders = [] }: Preset, headers: Headers): Mismatch | null {
  for (const required of requiredHeaders) {
    const names = typeof required === 'string' ? [required] : required;
    if (!names.some(name => headers.get(name))) return { part: 'header_missing', header: names.join(' or ') };
  }
  return null;
}

/** What a preset with several ways of signing says of them: the first whose header is there counts, else the last. */
export const signedByFirst = (schemes: readonly HmacScheme[], otherwise: HmacScheme) => ({
  secretHeaders: [...schemes, otherwise].map(({ header }) => header),
  requiredHeaders: [[...schemes, otherwise].map(({ header }) => header)],
  prepare({ secrets }: ProviderKeys): PreparedProvider {
    const ways = schemes.map(scheme => ({ header: scheme.header, verify: schemeVerifier(scheme, secrets) }));
    const last = schemeVerifier(otherwise, secrets);
    return {
      verify(received) {
        for (const { header, verify } of ways) if (received.headers.has(header)) return verify(received);
        return last(received);
      },
    };
  },
});

/** What a preset in which the signature is a scheme says of it. */
export const signedBy = (scheme: HmacScheme) => ({
  secretHeaders: [scheme.header],
  requiredHeaders: [scheme.header, ...(scheme.timestampHeader === undefined ? [] : [scheme.timestampHeader])],
  prepare: ({ secrets }: ProviderKeys): PreparedProvider => ({ verify: schemeVerifier(scheme, secrets) }),
});
