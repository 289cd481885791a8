import type { AppendRequest, IdempotencyClaim } from '../../core/stores/journal.ts';
import { bigintArray, textArray } from './arrays.ts';
import type { Session } from './sessions.ts';

/** Whoever used a request's idempotency key first: another request before, or one of the same batch. */
export type Holder =
  | { readonly kind: 'before'; readonly bodyHash: string | null; readonly eventIds: readonly string[] }
  | { readonly kind: 'in_batch'; readonly bodyHash: string | null; readonly index: number };

interface Claimant {
  readonly claim: IdempotencyClaim;
  readonly request: AppendRequest;
  readonly index: number;
}

/** For each request who holds its key; null where it has none, or where it holds the key itself from now on. */
export async function claimKeys(
  session: Session,
  requests: readonly AppendRequest[],
): Promise<(Holder | null)[]> {
  const firsts = new Map<string, Claimant>();
  for (const [index, request] of requests.entries()) {
    const claim = request.idempotency;
    if (claim !== null && !firsts.has(nameOf(claim))) firsts.set(nameOf(claim), { claim, request, index });
  }
  if (firsts.size === 0) return requests.map(() => null);

  const sorted = [...firsts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, claimant]) => claimant);
  const claimed = await insertClaims(session, sorted);
  const before = await findHolders(
    session,
    sorted.map(({ claim }) => claim).filter(claim => !claimed.has(nameOf(claim))),
  );
  return requests.map(({ idempotency }, index) => {
    if (idempotency === null) return null;
    const name = nameOf(idempotency);
    const first = firsts.get(name);
    if (first === undefined || (first.index === index && claimed.has(name))) return null;
    return before.get(name) ?? { kind: 'in_batch', bodyHash: first.claim.bodyHash, index: first.index };
  });
}

/** A scope is an id of ours, which has no line breaks. */
const nameOf = ({ scope, key }: { scope: string; key: string }): string => `${scope}\n${key}`;

/**
 * Waits for other transactions that are about to use one of the keys. A key that is taken stays locked, so that
 * it cannot be pruned before it is looked at; one that has expired but was not pruned yet gives way.
 */
async function insertClaims(session: Session, claimants: readonly Claimant[]): Promise<Set<string>> {
  const { rows } = await session.query<{ scope: string; key: string }>(
    `INSERT INTO idempotency_keys AS known (scope, key, org_id, body_hash, event_ids, expires_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
     ON CONFLICT (scope, key) DO UPDATE SET org_id = excluded.org_id, body_hash = excluded.body_hash,
       event_ids = excluded.event_ids, expires_at = excluded.expires_at
     WHERE known.expires_at <= $7
     RETURNING scope, key`,
    [
      textArray(claimants.map(({ claim }) => claim.scope)),
      textArray(claimants.map(({ claim }) => claim.key)),
      textArray(claimants.map(({ request }) => request.orgId)),
      textArray(claimants.map(({ claim }) => claim.bodyHash)),
      textArray(claimants.map(({ request }) => JSON.stringify(request.events.map(({ id }) => id)))),
      bigintArray(claimants.map(({ claim }) => claim.expiresAt)),
      Math.min(...claimants.map(({ request }) => request.receivedAt)),
    ],
  );
  return new Set(rows.map(nameOf));
}

async function findHolders(session: Session, claims: readonly IdempotencyClaim[]) {
  const holders = new Map<string, Holder>();
  if (claims.length === 0) return holders;
  const { rows } = await session.query<{
    scope: string;
    key: string;
    body_hash: string | null;
    event_ids: string;
  }>(
    `SELECT known.scope, known.key, known.body_hash, known.event_ids
     FROM unnest($1::text[], $2::text[]) AS wanted (scope, key)
     JOIN idempotency_keys AS known ON known.scope = wanted.scope AND known.key = wanted.key`,
    [textArray(claims.map(({ scope }) => scope)), textArray(claims.map(({ key }) => key))],
  );
  for (const row of rows) {
    const eventIds = JSON.parse(row.event_ids) as string[];
    holders.set(nameOf(row), { kind: 'before', bodyHash: row.body_hash, eventIds });
  }
  return holders;
}

/** Puts the ids that were answered in place of those that a key was claimed with. */
export async function rewriteKeys(
  session: Session,
  changes: readonly { claim: IdempotencyClaim; eventIds: readonly string[] }[],
): Promise<void> {
  if (changes.length === 0) return;
  await session.query(
    `UPDATE idempotency_keys AS known SET event_ids = changed.event_ids
     FROM unnest($1::text[], $2::text[], $3::text[]) AS changed (scope, key, event_ids)
     WHERE known.scope = changed.scope AND known.key = changed.key`,
    [
      textArray(changes.map(({ claim }) => claim.scope)),
      textArray(changes.map(({ claim }) => claim.key)),
      textArray(changes.map(({ eventIds }) => JSON.stringify(eventIds))),
    ],
  );
}
