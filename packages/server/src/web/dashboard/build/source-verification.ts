import type { webhookSourceChange } from '@sluice/contract/dashboard-sources';
import type { z } from 'zod';
import { invalid } from '../../../core/errors.ts';
import { parsePath } from '../../../core/expressions/path.ts';
import type { ProviderAdmin, ProviderDescription } from '../../../core/kinds/provider-admin.ts';
import { newSecret, type Vault } from '../../../core/secrets/vault.ts';
import {
  type ProviderOptions,
  type SourceChange,
  sourceSecret,
  type WebhookSource,
} from '../../../core/stores/configuration/sources.ts';

/** How the sender of a webhook source is verified, taken from what somebody entered. */

type Input = Omit<z.output<typeof webhookSourceChange>, 'name' | 'enabled' | 'rate'>;

/** What of it is only for the modes `provider` and `custom`. */
const beyondOurs = [
  'provider',
  'secret',
  'public_key',
  'verify_token',
  'url',
  'verify_with',
  'scheme',
] as const satisfies readonly (keyof Input)[];

export interface AcceptedVerification {
  readonly change: Pick<
    SourceChange,
    'auth' | 'provider' | 'providerOptions' | 'sealedSecret' | 'sealedVerifyToken' | 'typeFrom'
  >;
  /** What was made because nobody gave it, to be answered once. */
  readonly made: { readonly secret?: string; readonly new_verify_token?: string };
}

/** Throws a 400 that names the field. `before` is null for a new source. */
export function acceptVerification(
  input: Input,
  source: Pick<WebhookSource, 'id' | 'orgId'>,
  before: WebhookSource | null,
  {
    providerAdmin,
    vault,
  }: { readonly providerAdmin: ProviderAdmin; readonly vault: Pick<Vault, 'seal' | 'open'> },
): AcceptedVerification {
  const auth = input.auth ?? before?.auth ?? 'hmac';
  requirePaths(input);
  const secretGiven = input.secret === undefined ? {} : seal('secret', input.secret);
  const typeFrom = input.type_from === undefined ? {} : { typeFrom: input.type_from };

  switch (auth) {
    case 'hmac':
    case 'bearer':
    case 'none':
      refuse(beyondOurs, `belongs to the modes provider and custom.`);
      return withSecret({ auth, provider: null, providerOptions: {}, ...typeFrom });
    case 'custom': {
      refuse(
        ['provider', 'public_key', 'verify_token', 'url', 'verify_with'],
        'does not belong to the mode custom.',
      );
      const scheme = input.scheme ?? before?.providerOptions.scheme;
      if (scheme === undefined) throw invalid('scheme', 'scheme is missing: say how the sender signs.');
      return withSecret({ auth, provider: null, providerOptions: { scheme }, ...typeFrom, ...secretGiven });
    }
    case 'provider':
      return acceptProvider();
  }

  function acceptProvider(): AcceptedVerification {
    refuse(['scheme'], 'does not belong to the mode provider.');
    const isBefore = before?.auth === 'provider';
    const name = input.provider ?? (isBefore ? before?.provider : null);
    if (!name) throw invalid('provider', 'provider is missing: say whose webhooks these are.');
    const known = providerAdmin.list().find(provider => provider.name === name);
    const same = isBefore && before.provider === name ? before : null;
    const secret = secretFor(known, same);
    const kept = same?.providerOptions ?? {};
    const url = input.url === undefined ? kept.url : (input.url ?? undefined);
    const providerOptions: ProviderOptions = {
      ...(url === undefined ? {} : { url }),
      ...given('publicKey', input.public_key ?? kept.publicKey),
      ...given('verifyWith', input.verify_with ?? kept.verifyWith),
    };
    const verifyToken =
      input.verify_token ??
      (known?.fields.verify_token === undefined || same?.sealedVerifyToken ? null : newSecret('verify'));
    const isTokenKept = verifyToken === null && Boolean(same?.sealedVerifyToken);
    providerAdmin.check(name, {
      secret: secret.value,
      publicKey: providerOptions.publicKey ?? null,
      verifyToken: isTokenKept ? 'kept' : verifyToken,
      url: providerOptions.url ?? null,
      verifyWith: providerOptions.verifyWith ?? null,
    });
    return {
      change: {
        auth,
        provider: name,
        providerOptions,
        ...typeFrom,
        ...(secret.isNew && secret.value !== null ? seal('secret', secret.value) : {}),
        ...(isTokenKept
          ? {}
          : { sealedVerifyToken: verifyToken === null ? null : sealed('verify_token', verifyToken) }),
      },
      made: {
        ...(secret.isMade && secret.value !== null ? { secret: secret.value } : {}),
        ...(verifyToken !== null && input.verify_token === undefined
          ? { new_verify_token: verifyToken }
          : {}),
      },
    };
  }

  /** A secret left out is kept; where there is none that fits, one is made if people choose it. */
  function secretFor(provider: ProviderDescription | undefined, same: WebhookSource | null) {
    const field = provider?.fields.secret;
    if (input.secret !== undefined) return { value: input.secret, isNew: true, isMade: false };
    if (before !== null && (same !== null || field?.isChosen)) {
      const value = vault.open(before.sealedSecret, sourceSecret(before, 'secret'));
      return { value, isNew: false, isMade: false };
    }
    if (field === undefined) return { value: null, isNew: false, isMade: false };
    return field.isChosen
      ? { value: newSecret('whsec'), isNew: true, isMade: true }
      : { value: null, isNew: false, isMade: false };
  }

  /** A source has a secret in every mode, so that a mode can be changed to one that needs it. */
  function withSecret(change: AcceptedVerification['change']): AcceptedVerification {
    const settled = { ...change, sealedVerifyToken: null };
    if (before !== null || change.sealedSecret !== undefined) return { change: settled, made: {} };
    const secret = newSecret('whsec');
    return { change: { ...settled, ...seal('secret', secret) }, made: { secret } };
  }

  function refuse(names: readonly (keyof Input)[], why: string): void {
    for (const name of names) if (input[name] !== undefined) throw invalid(name, `${name} ${why}`);
  }

  function sealed(field: 'secret' | 'verify_token', value: string): string {
    return vault.seal(value, sourceSecret(source, field));
  }

  function seal(field: 'secret', value: string) {
    return { sealedSecret: sealed(field, value) };
  }
}

const given = <K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } =>
  value === undefined ? {} : ({ [name]: value } as { [key in K]: V });

/** What is entered as a path is read before it is stored. */
function requirePaths({ type_from }: Input): void {
  if (!type_from) return;
  for (const name of ['path', 'then'] as const) {
    const text = name in type_from ? type_from[name as keyof typeof type_from] : undefined;
    if (text === undefined) continue;
    try {
      parsePath(text);
    } catch {
      throw invalid(`type_from.${name}`, `type_from.${name} must be a path such as payload.event.type.`);
    }
  }
}

/** What goes on record of a change: everything but what is secret. */
export function withoutPasted<T extends object>(input: T): Omit<T, 'secret' | 'verify_token'> {
  const {
    secret: _secret,
    verify_token: _token,
    ...rest
  } = input as T & {
    secret?: unknown;
    verify_token?: unknown;
  };
  return rest as Omit<T, 'secret' | 'verify_token'>;
}
