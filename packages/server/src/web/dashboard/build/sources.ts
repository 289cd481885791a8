import type { ProviderRecord } from '@sluice/contract/dashboard-providers';
import {
  type RejectionGroupRecord,
  type RejectionRecord,
  type SourceRecord,
  sdkSourceChange,
  systemSourceChange,
  webhookSourceChange,
} from '@sluice/contract/dashboard-sources';
import type { z } from 'zod';
import { type Clock, seconds, toRfc3339 } from '../../../core/clock.ts';
import { invalid, Problem } from '../../../core/errors.ts';
import type { ProviderAdmin, ProviderDescription } from '../../../core/kinds/provider-admin.ts';
import { newSecret, type Vault } from '../../../core/secrets/vault.ts';
import {
  type Rejection,
  type Source,
  type SourceChange,
  sourceSecret,
  type WebhookSource,
} from '../../../core/stores/configuration/sources.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import { pageOf } from '../../paging.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import { may } from '../permissions.ts';
import { newestFirst, optionalTime } from '../records.ts';
import { changedWebhookSource, newSource } from './source-input.ts';
import { withoutPasted } from './source-verification.ts';

const MOST_REJECTIONS = 1_000;
/** Nobody looks through more reasons, or at more requests of one. */
const MOST_GROUPS = 50;
const OF_EACH_GROUP = 5;

/** Sources. A webhook's token stays readable to members; its secret is answered when made or rotated only. */
export function sourceCalls(
  calls: Calls,
  {
    configuration,
    vault,
    clock,
    providerAdmin,
  }: {
    readonly configuration: Pick<
      ConfigurationStore,
      'audited' | 'findSource' | 'groupRejections' | 'listRejections' | 'listSources'
    >;
    readonly vault: Pick<Vault, 'seal' | 'open'>;
    readonly clock: Clock;
    readonly providerAdmin: ProviderAdmin;
  },
): void {
  async function find({ session, param }: SessionCall<'id'>): Promise<Source> {
    const source = await configuration.findSource(session.orgId, param('id'));
    if (source === null) throw new Problem('not_found');
    return source;
  }

  const show = (source: Source, { session, client }: SessionCall): SourceRecord => {
    const mayReveal = source.kind === 'webhook' && may(session.role, 'sources.reveal');
    const token = mayReveal ? vault.open(source.sealedToken, sourceSecret(source, 'token')) : null;
    return toRecord(source, token, client.baseUrl);
  };

  calls.on('GET /sources', 'read', async call => {
    const page = call.page('sources', call.query());
    const { rows, next } = pageOf(await configuration.listSources(call.session.orgId), newestFirst, page);
    return page.answer(
      rows.map(source => show(source, call)),
      next,
    );
  });

  calls.on('POST /sources', 'sources.change', async call => {
    const input = await call.body();
    const { source, made } = newSource(input, call.session.orgId, clock.now(), { providerAdmin, vault });
    const record = call.record('source.created', source.id, withoutPasted(input));
    await configuration.audited(record).createSource(source);
    return call.answer({ ...show(source, call), ...made }, 201);
  });

  calls.on('GET /sources/:id', 'read', async call => call.answer(show(await find(call), call)));

  calls.on('PATCH /sources/:id', 'sources.change', async call => {
    const source = await find(call);
    if (source.kind !== 'webhook') {
      const input: z.output<typeof sdkSourceChange> = await call.body(
        source.kind === 'sdk' ? sdkSourceChange : systemSourceChange,
      );
      const { expect_every_minutes: expectEveryMinutes, ...rest } = input;
      const record = call.record('source.changed', source.id, input);
      const change: SourceChange = {
        ...rest,
        ...(expectEveryMinutes === undefined ? {} : { expectEveryMinutes }),
      };
      await configuration.audited(record).updateSource(source.orgId, source.id, change, clock.now());
      return call.answer(show(await find(call), call));
    }
    const input = await call.body(webhookSourceChange);
    const { change, made } = changedWebhookSource(input, source, { providerAdmin, vault });
    const record = call.record('source.changed', source.id, withoutPasted(input));
    await configuration.audited(record).updateSource(source.orgId, source.id, change, clock.now());
    return call.answer({ ...show(await find(call), call), ...made });
  });

  calls.on('DELETE /sources/:id', 'sources.change', async call => {
    const { orgId, id, name, kind } = await find(call);
    if (kind === 'system') {
      throw new Problem('conflict', {
        message: 'The source of system events belongs to the organisation and cannot be deleted.',
      });
    }
    const changes = configuration.audited(call.record('source.deleted', id, { name }));
    if (!(await changes.deleteSource(orgId, id, call.session.email, clock.now())))
      throw new Problem('not_found');
    return call.answer({ id, deleted: true });
  });

  calls.on('POST /sources/:id/rotate', 'sources.change', async call => {
    const source = await find(call);
    if (source.kind !== 'webhook') {
      throw new Problem('conflict', {
        message:
          source.kind === 'sdk'
            ? 'An sdk source has no secret: its events come with an API key.'
            : 'The source of system events has no secret: nobody sends to it.',
      });
    }
    const { overlap_s, secret: given } = await call.body();
    const secret = newSecretFor(source, given);
    const now = clock.now();
    // Bound to its field, it cannot move to the other one as it is.
    const before = () => vault.open(source.sealedSecret, sourceSecret(source, 'secret'));
    const change: SourceChange = {
      sealedSecret: vault.seal(secret, sourceSecret(source, 'secret')),
      previousSealedSecret:
        overlap_s === 0 ? null : vault.seal(before(), sourceSecret(source, 'previous_secret')),
      previousSecretUntil: overlap_s === 0 ? null : now + seconds(overlap_s),
    };
    const record = call.record('source.secret_rotated', source.id, { overlap_s });
    await configuration.audited(record).updateSource(source.orgId, source.id, change, now);
    return call.answer({ ...show(await find(call), call), ...(given === undefined ? { secret } : {}) });
  });

  /** The next secret of a source: made, unless its provider makes them. */
  function newSecretFor(source: WebhookSource, given: string | undefined): string {
    const isOurs = source.auth === 'hmac' || source.auth === 'bearer' || source.auth === 'none';
    if (isOurs && given !== undefined)
      throw invalid('secret', 'secret belongs to the modes provider and custom.');
    const { provider } = source;
    if (source.auth !== 'provider' || provider === null) return given ?? newSecret('whsec');
    const { secret: field } = providerAdmin.list().find(({ name }) => name === provider)?.fields ?? {};
    if (field === undefined)
      throw new Problem('conflict', { message: 'This provider has no secret to rotate.' });
    if (given === undefined && !field.isChosen)
      throw invalid('secret', 'secret is missing: paste the one from the provider.');
    const secret = given ?? newSecret('whsec');
    const { publicKey = null, url = null, verifyWith = null } = source.providerOptions;
    const verifyToken = source.sealedVerifyToken === null ? null : 'kept';
    providerAdmin.check(provider, { secret, publicKey, verifyToken, url, verifyWith });
    return secret;
  }

  calls.on('GET /kinds/providers', 'read', async call => call.answer(providerAdmin.list().map(showProvider)));

  calls.on('GET /sources/:id/rejections', 'read', async call => {
    const { orgId, id } = await find(call);
    const page = call.page(`rejections ${id}`, call.query());
    const rejections = await configuration.listRejections(orgId, id, MOST_REJECTIONS);
    const { rows, next } = pageOf(withKeys(rejections), rejectionOrder, page);
    return page.answer(
      rows.map(row => ({ ...showRejected(row), code: row.code, message: row.message })),
      next,
    );
  });

  calls.on('GET /sources/:id/rejections/groups', 'read', async call => {
    const { orgId, id } = await find(call);
    const groups = await configuration.groupRejections(orgId, id, {
      groups: MOST_GROUPS,
      ofEach: OF_EACH_GROUP,
    });
    return call.answer(
      groups.map(({ code, message, count, firstAt, lastAt, latest }) => ({
        code,
        message,
        count,
        first_at: toRfc3339(firstAt),
        last_at: toRfc3339(lastAt),
        latest: latest.map(showRejected),
      })),
    );
  });
}

const showRejected = ({ at, address, headers }: Rejection): RejectionGroupRecord['latest'][number] => ({
  at: toRfc3339(at),
  address,
  headers: headers === null ? {} : (JSON.parse(headers) as RejectionRecord['headers']),
});

const showProvider = ({ fields, ...provider }: ProviderDescription): ProviderRecord => {
  const { secret, ...others } = fields;
  return {
    name: provider.name,
    title: provider.title,
    also: [...(provider.also ?? [])],
    steps: [...provider.steps],
    documentation: provider.documentation,
    fields: {
      ...(secret === undefined
        ? {}
        : { secret: { label: secret.label, hint: secret.hint, is_chosen: secret.isChosen } }),
      ...others,
    },
    signature: provider.signature,
    type: provider.type,
    note: provider.note ?? null,
  };
};

/** A refusal has no id: its place is its time, and its number among those of the same millisecond. */
function withKeys<T extends { readonly at: number }>(newestFirst: readonly T[]): (T & { key: string })[] {
  let same = 0;
  return newestFirst.map((row, i) => {
    same = newestFirst[i - 1]?.at === row.at ? same + 1 : 0;
    return {
      ...row,
      key: `${String(row.at).padStart(16, '0')} ${String(MOST_REJECTIONS - same).padStart(5, '0')}`,
    };
  });
}

const rejectionOrder = {
  keyOf: ({ key }: { readonly key: string }) => key,
  direction: 'descending',
} as const;

function toRecord(source: Source, token: string | null, baseUrl: string): SourceRecord {
  const base = {
    id: source.id,
    name: source.name,
    enabled: source.enabled,
    created_at: toRfc3339(source.createdAt),
    updated_at: toRfc3339(source.updatedAt),
    last_event_at: optionalTime(source.lastEventAt),
  };
  if (source.kind === 'system') return { kind: 'system', ...base };
  const sent = { ...base, expect_every_minutes: source.expectEveryMinutes ?? null };
  if (source.kind === 'sdk') return { kind: 'sdk', ...sent, match: source.match };
  return {
    kind: 'webhook',
    ...sent,
    auth: source.auth,
    rate: { per_second: source.ratePerSecond, burst: source.rateBurst },
    url: token === null ? null : `${baseUrl}/whk/${token}`,
    token,
    previous_secret_until: optionalTime(source.previousSecretUntil),
    ...verificationOf(source),
  };
}

/** What a source has beyond hmac, bearer and none; nothing of it is secret. */
function verificationOf({ provider, providerOptions, sealedVerifyToken, typeFrom }: WebhookSource) {
  const { url, publicKey, verifyWith, scheme } = providerOptions;
  return {
    ...(provider === null ? {} : { provider }),
    ...(url === undefined ? {} : { signed_url: url }),
    ...(publicKey === undefined ? {} : { public_key: publicKey }),
    ...(sealedVerifyToken === null ? {} : { verify_token: { set: true as const } }),
    ...(verifyWith === undefined ? {} : { verify_with: verifyWith }),
    ...(scheme === undefined ? {} : { scheme }),
    ...(typeFrom === null ? {} : { type_from: typeFrom }),
  };
}
