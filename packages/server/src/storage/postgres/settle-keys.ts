import type { Settlement, SettleResult } from '../../core/stores/event-queue.ts';
import { bigintArray, textArray } from './arrays.ts';
import type { Session } from './sessions.ts';

interface Wanted {
  readonly settlement: Settlement;
  readonly pipelineId: string;
  readonly step: number;
  readonly scope: string;
  readonly key: string;
  readonly expiresAt: number;
}

type Lost = Extract<SettleResult, { kind: 'lost' }>;

/**
 * Writes the dedupe keys of these events, the first to commit wins: who wants a key that another transaction is
 * about to write waits for it. Answers who lost; of those no key is kept.
 */
export async function keepDedupeKeys(
  session: Session,
  settlements: readonly Settlement[],
  at: number,
): Promise<Map<Settlement, Lost>> {
  const lost = new Map<Settlement, Lost>();
  const wantedBy = new Map(settlements.map(settlement => [settlement, keysOf(settlement)]));
  const wanted = [...wantedBy.values()].flat();
  if (wanted.length === 0) return lost;
  const firsts = new Map<string, Wanted>();
  for (const want of wanted) if (!firsts.has(nameOf(want))) firsts.set(nameOf(want), want);
  const sorted = [...firsts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, want]) => want);
  const kept = await insertKeys(session, sorted, at);
  const holders = await findHolders(
    session,
    sorted.filter(want => !kept.has(nameOf(want))),
  );

  // Whoever loses one key holds none: those go to the next who wants them.
  const winners = new Map<string, Wanted>();
  for (const [settlement, keys] of wantedBy) {
    const holderOf = (want: Wanted) =>
      holders.get(nameOf(want)) ?? winners.get(nameOf(want))?.settlement.eventId ?? settlement.eventId;
    const taken = keys.find(want => holderOf(want) !== settlement.eventId);
    if (taken === undefined) {
      for (const want of keys) if (!winners.has(nameOf(want))) winners.set(nameOf(want), want);
    } else {
      const { pipelineId, step } = taken;
      lost.set(settlement, { kind: 'lost', pipelineId, step, first: holderOf(taken) });
    }
  }
  const misplaced = sorted.filter(want => kept.has(nameOf(want)) && winners.get(nameOf(want)) !== want);
  await removeKeys(session, misplaced);
  await insertKeys(
    session,
    misplaced.flatMap(want => winners.get(nameOf(want)) ?? []),
    at,
  );
  return lost;
}

const keysOf = (settlement: Settlement): Wanted[] =>
  settlement.runs.flatMap(({ pipelineId, claims }) =>
    claims.map((claim): Wanted => ({ settlement, pipelineId, ...claim })),
  );

/** None of the three has line breaks. */
const nameOf = ({ settlement, scope, key }: Wanted): string => `${settlement.orgId}\n${scope}\n${key}`;

const keyArrays = (wanted: readonly Wanted[]): Buffer[] => [
  textArray(wanted.map(({ settlement }) => settlement.orgId)),
  textArray(wanted.map(({ scope }) => scope)),
  textArray(wanted.map(({ key }) => key)),
];

async function insertKeys(session: Session, wanted: readonly Wanted[], at: number): Promise<Set<string>> {
  if (wanted.length === 0) return new Set();
  const { rows } = await session.query<{ org_id: string; scope: string; key: string }>(
    `INSERT INTO dedupe_keys AS known (org_id, scope, key, event_id, expires_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
     ON CONFLICT (org_id, scope, key) DO UPDATE SET event_id = excluded.event_id, expires_at = excluded.expires_at
     WHERE known.expires_at <= $6
     RETURNING org_id, scope, key`,
    [
      ...keyArrays(wanted),
      textArray(wanted.map(({ settlement }) => settlement.eventId)),
      bigintArray(wanted.map(({ expiresAt }) => expiresAt)),
      at,
    ],
  );
  return new Set(rows.map(row => `${row.org_id}\n${row.scope}\n${row.key}`));
}

async function findHolders(session: Session, wanted: readonly Wanted[]): Promise<Map<string, string>> {
  if (wanted.length === 0) return new Map();
  const { rows } = await session.query<{ org_id: string; scope: string; key: string; event_id: string }>(
    `SELECT known.org_id, known.scope, known.key, known.event_id
     FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (org_id, scope, key)
     JOIN dedupe_keys AS known ON known.org_id = wanted.org_id AND known.scope = wanted.scope
       AND known.key = wanted.key`,
    keyArrays(wanted),
  );
  return new Map(rows.map(row => [`${row.org_id}\n${row.scope}\n${row.key}`, row.event_id]));
}

async function removeKeys(session: Session, wanted: readonly Wanted[]): Promise<void> {
  if (wanted.length === 0) return;
  await session.query(
    `DELETE FROM dedupe_keys AS known USING unnest($1::text[], $2::text[], $3::text[]) AS lost (org_id, scope, key)
     WHERE known.org_id = lost.org_id AND known.scope = lost.scope AND known.key = lost.key`,
    keyArrays(wanted),
  );
}
