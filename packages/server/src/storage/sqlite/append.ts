import type { Database } from 'bun:sqlite';
import type { NewEvent } from '../../core/event/event.ts';
import { firstStateOf } from '../../core/event/state.ts';
import type { AppendRequest, AppendResult, IdempotencyClaim } from '../../core/stores/journal.ts';
import { matchedSourcesOf } from '../matched-sources.ts';

/** Appends events inside the writer's transaction: prepared once, called for every event that is accepted. */
export function prepareAppend(database: Database): (requests: readonly AppendRequest[]) => AppendResult[] {
  const insertEvent = database.prepare(
    `INSERT INTO events (id, org_id, source_id, state, type, icon, sender_id, entity_kind, entity_external_id,
       happened_at, received_at, payload, claim_token, matched_sources, headers)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const findBySenderId = database.prepare<{ id: string }, [string, string]>(
    'SELECT id FROM events WHERE org_id = ? AND sender_id = ?',
  );
  const findKey = database.prepare<{ body_hash: string | null; event_ids: string }, [string, string, number]>(
    'SELECT body_hash, event_ids FROM idempotency_keys WHERE scope = ? AND key = ? AND expires_at > ?',
  );
  // A key that has expired but was not pruned yet gives way to its next use.
  const insertKey = database.prepare(
    `INSERT OR REPLACE INTO idempotency_keys (scope, key, org_id, body_hash, event_ids, expires_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );

  function storeEvent(request: AppendRequest, event: NewEvent, position: number) {
    if (event.senderId !== null) {
      const first = findBySenderId.get(request.orgId, event.senderId);
      if (first) return { id: first.id, duplicate: true };
    }
    insertEvent.run(
      event.id,
      request.orgId,
      request.sourceId,
      firstStateOf(request),
      event.type,
      event.icon,
      event.senderId,
      event.entityKind,
      event.entityExternalId,
      event.happenedAt,
      request.receivedAt,
      event.payload,
      request.claimToken ?? null,
      matchedSourcesOf(request, position),
      event.headers ?? null,
    );
    return { id: event.id, duplicate: false };
  }

  function earlierResult(claim: IdempotencyClaim, now: number): AppendResult | null {
    const seen = findKey.get(claim.scope, claim.key, now);
    if (!seen) return null;
    if (seen.body_hash !== claim.bodyHash) return { kind: 'conflict' };
    const ids = JSON.parse(seen.event_ids) as string[];
    return { kind: 'stored', events: ids.map(id => ({ id, duplicate: true })) };
  }

  return requests =>
    requests.map(request => {
      const claim = request.idempotency;
      const earlier = claim && earlierResult(claim, request.receivedAt);
      if (earlier) return earlier;
      const events = request.events.map((event, position) => storeEvent(request, event, position));
      if (claim) {
        const ids = JSON.stringify(events.map(event => event.id));
        insertKey.run(claim.scope, claim.key, request.orgId, claim.bodyHash, ids, claim.expiresAt);
      }
      return { kind: 'stored', events };
    });
}
