import { invalid, Problem } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { ProviderAdmin } from '../../../core/kinds/provider-admin.ts';
import type { Vault } from '../../../core/secrets/vault.ts';
import type { Source, SourceChange, WebhookSource } from '../../../core/stores/configuration/sources.ts';
import { changedWebhookSource, newSource } from '../build/source-input.ts';
import { withoutPasted } from '../build/source-verification.ts';
import { fieldChanges } from './difference.ts';
import type { MadeSource, StoredForm } from './file.ts';
import { readSourceForm, type SourceForm, showSourceForm, type WebhookInput } from './forms.ts';
import { type PlanContext, type Planned, unchanged } from './planned.ts';

/** What becomes of a source of a file. */

interface SourceDependencies {
  readonly providerAdmin: ProviderAdmin;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
}

/** What may be asked for, by the name it has when a source is made. */
const pastedFields = ['secret', 'verify_token'] as const;

type Made = { readonly secret?: string; readonly new_verify_token?: string };

export function planSource(
  [key, given]: readonly [string, JsonObject],
  before: StoredForm<MadeSource> | undefined,
  context: PlanContext,
  dependencies: SourceDependencies,
): Planned<Source, SourceChange> {
  const form = readSourceForm(key, given);
  const { input } = form;
  const shown = showSourceForm(key, form);
  if (before !== undefined && before.stored.kind !== input.kind)
    throw invalid('kind', 'kind cannot be changed: give the new source another name.');
  const fields = before === undefined ? [] : fieldChanges(before.form, shown);
  if (before !== undefined && fields.length === 0) return { ...unchanged, marks: [] };
  const change = before === undefined ? 'created' : 'changed';
  const details = { ...withoutPasted(input), enabled: form.enabled };

  const asked = (accept: (pasted: Pasted) => Accepted) =>
    withPasted(accept, context, { change, fields, details });
  if (before === undefined) {
    return asked(pasted => {
      const { source, made } = newSource(
        { ...input, ...pasted } as typeof input,
        context.orgId,
        context.now,
        dependencies,
      );
      return { edit: { kind: 'create', row: { ...source, enabled: form.enabled } }, made };
    });
  }
  const { stored } = before;
  if (stored.kind === 'sdk' || input.kind === 'sdk') {
    const match = input.kind === 'sdk' ? input.match : undefined;
    const changed = {
      enabled: form.enabled,
      expectEveryMinutes: input.expect_every_minutes ?? null,
      ...(match === undefined ? {} : { match }),
    };
    return asked(() => ({ edit: { kind: 'change', id: stored.id, change: changed }, made: {} }));
  }
  return asked(pasted => {
    const { change: changed, made } = changeWebhook(form, input, pasted, stored, fields, dependencies);
    return { edit: { kind: 'change', id: stored.id, change: changed }, made };
  });
}

function changeWebhook(
  { enabled }: SourceForm,
  { kind: _kind, name: _name, rate, expect_every_minutes: expected, ...verification }: WebhookInput,
  pasted: Pasted,
  stored: WebhookSource,
  fields: Planned<never, never>['fields'],
  dependencies: SourceDependencies,
) {
  const isVerifiedAsBefore = fields.every(({ path }) =>
    /^(?:enabled|rate|expect_every_minutes)\b/.test(path),
  );
  // What the file leaves out is not kept; secrets are, as long as they are those of the same sender.
  const bare = { ...stored, providerOptions: {} };
  const { auth, provider = null } = verification;
  const isOtherSender =
    isVerifiedByOthers({ auth }) && (auth !== stored.auth || provider !== stored.provider);
  const expect_every_minutes = expected ?? null;
  const input = isVerifiedAsBefore
    ? { enabled, rate, expect_every_minutes }
    : {
        enabled,
        rate,
        expect_every_minutes,
        ...verification,
        type_from: verification.type_from ?? null,
        ...pasted,
      };
  return changedWebhookSource(input, bare, dependencies, isOtherSender ? null : bare);
}

type Pasted = Partial<Record<(typeof pastedFields)[number], string>>;
interface Accepted {
  readonly edit: NonNullable<Planned<Source, SourceChange>['edit']>;
  readonly made: Made;
}

/** Asks for what the provider of a source needs and nobody has given. */
function withPasted(
  accept: (pasted: Pasted) => Accepted,
  { secretAt, isFinal }: PlanContext,
  head: Pick<Planned<Source, SourceChange>, 'change' | 'fields' | 'details'>,
): Planned<Source, SourceChange> {
  const pasted: Pasted = {};
  for (const field of pastedFields) {
    const value = secretAt(field);
    if (value !== undefined) pasted[field] = value;
  }
  try {
    const { edit, made } = accept(pasted);
    const fields = [
      { field: 'secret', secret: made.secret },
      { field: 'verify_token', secret: made.new_verify_token },
    ].flatMap(({ field, secret }) => (secret === undefined ? [] : [{ field, secret }]));
    // Ours are never pasted: they are made, and shown once.
    const isPasted = edit.kind === 'create' ? isVerifiedByOthers(edit.row) : isVerifiedByOthers(edit.change);
    const missing = isPasted ? fields.map(({ field }) => ({ field, can_be_made: true })) : [];
    return { ...head, missing, marks: [], edit, made: fields };
  } catch (error) {
    const field = pastedFields.find(one => error instanceof Problem && error.path === one);
    if (field === undefined || pasted[field] !== undefined || isFinal) throw error;
    return { ...head, missing: [{ field, can_be_made: false }], marks: [], edit: null, made: [] };
  }
}

const isVerifiedByOthers = (source: Source | SourceChange): boolean =>
  'auth' in source && (source.auth === 'provider' || source.auth === 'custom');
