import type { DeliveryPolicy } from '@sluice/contract/dashboard-deliveries';
import { invalid } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import { canonicalJson } from '../../../core/json/canonical.ts';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import type { DestinationAdmin } from '../../../core/kinds/destination-admin.ts';
import type { StoredDestination } from '../../../core/stores/configuration/destinations.ts';
import { changedDestination, newDestination } from '../build/destination-input.ts';
import { fieldChanges } from './difference.ts';
import type { StoredForm } from './file.ts';
import { readDestinationForm, showDestinationForm } from './forms.ts';
import { asMissing, type PlanContext, type Planned, unchanged, withSecrets } from './planned.ts';

/** What becomes of a destination of a file. */

type DestinationChange = Partial<Pick<StoredDestination, 'config' | 'policy' | 'paused'>>;
type PlannedDestination = Planned<StoredDestination, DestinationChange>;

export async function planDestination(
  [key, given]: readonly [string, JsonObject],
  before: StoredForm<StoredDestination> | undefined,
  context: PlanContext,
  destinationAdmin: DestinationAdmin,
): Promise<PlannedDestination> {
  const form = readDestinationForm(key, given);
  const { name, kind, paused } = form;
  const policy: DeliveryPolicy = form.policy;
  const stored = before?.stored ?? null;
  if (stored !== null && stored.kind !== kind)
    throw invalid('kind', 'kind cannot be changed: give the new destination another name.');
  const { orgId, now } = context;
  const id = stored?.id ?? newId('dst', now);
  const portable = destinationAdmin.readPortable({ orgId, id, kind, config: form.config, stored });
  const { marks } = portable;
  const changesTo = (config: JsonObject) =>
    before === undefined ? [] : fieldChanges(before.form, showDestinationForm(key, { ...form, config }));
  const fields = changesTo(portable.shown);
  if (before !== undefined && fields.length === 0) return { ...unchanged, marks };

  const head = { missing: asMissing(portable), marks, details: { kind, name } };
  const whole = withSecrets({ config: portable.config }, portable, context);
  if (whole === null) {
    const change = stored === null ? 'created' : 'changed';
    return { ...head, change, fields, edit: null, made: [] };
  }
  const config = whole.config as JsonObject;
  if (stored === null) {
    const input = { kind, name, config, policy, paused };
    const { destination, secret } = await newDestination(input, orgId, now, destinationAdmin);
    return {
      ...head,
      change: 'created',
      fields,
      edit: { kind: 'create', row: destination },
      made: madeOf(secret),
    };
  }

  const isConfigured = fields.every(({ path }) => !path.startsWith('config'));
  const isSamePolicy = isSameJson(stored.policy as unknown as Json, policy as unknown as Json);
  const { change, secret } = await changedDestination(
    { ...(isConfigured ? {} : { config }), ...(isSamePolicy ? {} : { policy }) },
    stored,
    destinationAdmin,
  );
  // The kind may have read the same out of another text.
  const accepted = change.config === undefined ? null : { ...stored, config: change.config };
  const left = accepted === null ? fields : changesTo(destinationAdmin.showPortable(accepted));
  if (left.length === 0 && head.missing.length === 0) return { ...unchanged, marks };
  return {
    ...head,
    change: 'changed',
    fields: left,
    edit: {
      kind: 'change',
      id: stored.id,
      change: {
        ...(change.config === undefined ? {} : { config: change.config }),
        ...(change.policy === undefined ? {} : { policy: change.policy }),
        ...(stored.paused === paused ? {} : { paused }),
      },
    },
    made: madeOf(secret),
    details: { name, fields: left.map(({ path }) => path) },
  };
}

const isSameJson = (a: Json, b: Json): boolean => canonicalJson(a) === canonicalJson(b);

const madeOf = (secret: string | null) => (secret === null ? [] : [{ field: 'config', secret }]);
