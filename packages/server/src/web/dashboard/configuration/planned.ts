import type { MissingSecret } from '@sluice/contract/dashboard-configuration';
import { invalid } from '../../../core/errors.ts';
import { parsePath, setPath } from '../../../core/expressions/path.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { PortableSecrets } from '../../../core/kinds/portable.ts';
import type { fieldChanges } from './difference.ts';

/** What becomes of one thing of a file. */
export interface Planned<Created, Change> {
  readonly change: 'created' | 'changed' | 'unchanged';
  readonly fields: ReturnType<typeof fieldChanges>;
  /** Secrets that nobody has given yet. */
  readonly missing: readonly Pick<MissingSecret, 'field' | 'can_be_made'>[];
  /** Where the file may say that a secret belongs; it is wrong anywhere else. */
  readonly marks: readonly string[];
  /** Null where there is nothing to do, or not everything is known yet. */
  readonly edit:
    | { readonly kind: 'create'; readonly row: Created }
    | { readonly kind: 'change'; readonly id: string; readonly change: Change }
    | null;
  /** Secrets that were made, to be shown once. */
  readonly made: readonly { readonly field: string; readonly secret: string }[];
  /** For the audit log. */
  readonly details: Readonly<Record<string, unknown>>;
}

export const unchanged = {
  change: 'unchanged',
  fields: [],
  missing: [],
  edit: null,
  made: [],
  details: {},
} as const satisfies Omit<Planned<never, never>, 'marks'>;

/** What planning one thing has to know beyond itself. */
export interface PlanContext {
  readonly orgId: string;
  readonly now: number;
  /** What somebody has entered for a field of this thing. */
  secretAt(field: string): string | undefined;
  /** It is about to be applied: what is still missing is refused. */
  readonly isFinal: boolean;
}

/**
 * Puts what was entered where it belongs. Null while something that nobody can make is missing, which is a 400 once it
 * is about to be applied.
 */
export function withSecrets(
  given: JsonObject,
  { missing }: Pick<PortableSecrets, 'missing'>,
  { secretAt, isFinal }: PlanContext,
): JsonObject | null {
  let whole = given;
  let isComplete = true;
  for (const { path, canBeMade } of missing) {
    const secret = secretAt(path);
    if (secret !== undefined) whole = put(whole, path, secret);
    else if (canBeMade) whole = withoutAt(whole, parsePath(path));
    else if (isFinal) throw invalid(path, `${path} is missing: enter this secret.`);
    else isComplete = false;
  }
  return isComplete ? whole : null;
}

function put(value: JsonObject, path: string, secret: string): JsonObject {
  const set = setPath(value, parsePath(path), secret);
  if (set.kind !== 'set') throw invalid(path, `${path} cannot hold a secret: ${set.reason}.`);
  return set.root;
}

function withoutAt(value: JsonObject, [key, ...rest]: readonly (string | number)[]): JsonObject {
  if (typeof key !== 'string') return value;
  const { [key]: inner, ...others } = value;
  return rest.length === 0 ? others : { ...value, [key]: withoutAt(inner as JsonObject, rest) };
}

export const asMissing = ({ missing }: Pick<PortableSecrets, 'missing'>): Planned<never, never>['missing'] =>
  missing.map(({ path, canBeMade }) => ({ field: path, can_be_made: canBeMade }));
