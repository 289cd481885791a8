import type { ProviderRecord } from '@sluice/contract/dashboard-providers';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { givenKeys, nothingPasted, type PastedKeys } from './provider-keys.ts';
import { givenScheme, type SchemeDraft, schemeDraftOf } from './scheme-draft.ts';
import { givenTypeFrom, type TypeFromDraft, typeDraftOf } from './type-from-draft.ts';

/** An existing source as it stands in the form, and what of that is sent. */

export function draftOf(source: SourceRecord) {
  if (source.kind === 'system') return { kind: source.kind, name: source.name };
  const { name, expect_every_minutes } = source;
  if (source.kind === 'sdk') return { kind: source.kind, name, match: source.match, expect_every_minutes };
  const { kind, auth, rate } = source;
  const keys: PastedKeys = {
    ...nothingPasted,
    public_key: source.public_key ?? '',
    url: source.signed_url ?? '',
    verify_with: source.verify_with ?? nothingPasted.verify_with,
  };
  return {
    kind,
    name,
    auth,
    rate,
    expect_every_minutes,
    keys,
    scheme: schemeDraftOf(source.scheme),
    type: typeDraftOf(source.type_from),
  };
}

export type SourceDraft = ReturnType<typeof draftOf>;

/** Secrets are typed again, never kept. */
export const withoutTypedSecrets = (draft: SourceDraft): SourceDraft =>
  draft.kind !== 'webhook'
    ? draft
    : {
        ...draft,
        keys: { ...draft.keys, secret: '', verify_token: '' },
        scheme: { ...draft.scheme, secret: '' },
      };

interface Changed {
  readonly keys?: PastedKeys;
  readonly scheme?: SchemeDraft;
  readonly type?: TypeFromDraft;
}

/** What changed, as the server takes it. A secret that nobody typed is kept; a URL that was emptied is none. */
export function bodyOf(
  { keys, scheme, type, ...others }: Changed & Record<string, unknown>,
  provider: ProviderRecord | undefined,
) {
  return {
    ...others,
    ...(keys === undefined || provider === undefined ? {} : keysOf(keys, provider)),
    ...(scheme === undefined ? {} : givenScheme(scheme)),
    ...(type === undefined ? {} : { type_from: givenTypeFrom(type) }),
  };
}

const keysOf = (keys: PastedKeys, provider: ProviderRecord) => ({
  ...(provider.fields.url === undefined ? {} : { url: null }),
  ...givenKeys(provider, keys),
});
