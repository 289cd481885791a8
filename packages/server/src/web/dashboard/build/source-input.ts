import type { sourceBody, webhookSourceChange } from '@sluice/contract/dashboard-sources';
import type { z } from 'zod';
import { newId } from '../../../core/ids.ts';
import type { ProviderAdmin } from '../../../core/kinds/provider-admin.ts';
import { hashSecret, newSecret, type Vault } from '../../../core/secrets/vault.ts';
import {
  type Source,
  type SourceChange,
  sourceSecret,
  type WebhookSource,
} from '../../../core/stores/configuration/sources.ts';
import { type AcceptedVerification, acceptVerification } from './source-verification.ts';

/** Sources as somebody enters them, checked and sealed. Both throw a 400 that names the field. */

interface SourceInputDependencies {
  readonly providerAdmin: ProviderAdmin;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
}

type Made = AcceptedVerification['made'];

/** With a new token and, where none is given, a new secret. */
export function newSource(
  input: z.output<typeof sourceBody>,
  orgId: string,
  now: number,
  dependencies: SourceInputDependencies,
): { readonly source: Source; readonly made: Made } {
  const { vault } = dependencies;
  const id = newId('src', now);
  const base = {
    id,
    orgId,
    name: input.name,
    enabled: true,
    createdAt: now,
    updatedAt: now,
    lastEventAt: null,
  };
  const expectEveryMinutes = input.expect_every_minutes ?? null;
  if (input.kind === 'sdk')
    return { source: { ...base, kind: 'sdk', match: input.match, expectEveryMinutes }, made: {} };
  const { kind: _kind, name: _name, rate, expect_every_minutes: _expected, ...verification } = input;
  const { change, made } = acceptVerification(verification, base, null, dependencies);
  const token = newSecret('whk');
  const source: WebhookSource = {
    ...base,
    kind: 'webhook',
    expectEveryMinutes,
    tokenHash: hashSecret(token),
    sealedToken: vault.seal(token, sourceSecret(base, 'token')),
    auth: change.auth ?? input.auth,
    sealedSecret: change.sealedSecret ?? vault.seal(newSecret('whsec'), sourceSecret(base, 'secret')),
    previousSealedSecret: null,
    previousSecretUntil: null,
    ratePerSecond: rate.per_second,
    rateBurst: rate.burst,
    provider: change.provider ?? null,
    providerOptions: change.providerOptions ?? {},
    sealedVerifyToken: change.sealedVerifyToken ?? null,
    typeFrom: change.typeFrom ?? null,
  };
  return { source, made };
}

/** What is left out stays as it is, but for what verifies the sender where `verified` is null: as of a new source. */
export function changedWebhookSource(
  input: z.output<typeof webhookSourceChange>,
  source: WebhookSource,
  dependencies: SourceInputDependencies,
  verified: WebhookSource | null = source,
): { readonly change: SourceChange; readonly made: Made } {
  const { name, enabled, rate, expect_every_minutes: expectEveryMinutes, ...verification } = input;
  const { change, made } =
    Object.keys(verification).length === 0
      ? { change: {}, made: {} }
      : acceptVerification(verification, source, verified, dependencies);
  return {
    change: {
      name,
      enabled,
      ...(expectEveryMinutes === undefined ? {} : { expectEveryMinutes }),
      ...(rate ? { ratePerSecond: rate.per_second, rateBurst: rate.burst } : {}),
      ...change,
      // A new secret that was pasted holds alone; rotating it is another call.
      ...(change.sealedSecret === undefined ? {} : { previousSealedSecret: null, previousSecretUntil: null }),
    },
    made,
  };
}
