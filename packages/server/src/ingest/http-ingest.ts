import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/errors.ts';
import type { NewEvent } from '../core/event/event.ts';
import type { ByteRoom } from '../core/http/byte-room.ts';
import { decompress, mediaTypeOf, READ_IN_PLACE_BYTES, readBytes } from '../core/http/read-body.ts';
import type { AppendRequest, AppendResult } from '../core/stores/journal.ts';
import type { ActivityLog } from './activity.ts';
import { authenticateKey } from './authenticate.ts';
import type { Directory } from './directory.ts';
import { hashBody, readIdempotencyKey } from './idempotency.ts';
import type { Limits } from './limits.ts';
import type { BodyThread } from './reading/body-thread.ts';
import { unpackBatch } from './reading/protocol.ts';
import { createBatchReader, toNewEvent } from './reading/read-batch.ts';

/** What both ingest endpoints work with. */
export interface IngestDependencies {
  readonly directory: Directory;
  readonly activity: ActivityLog;
  readonly limits: Limits;
  /** What large bodies may hold together while they come in. */
  readonly room: ByteRoom;
  readonly clock: Clock;
  /** Reads what is too large to be read in place. */
  readonly bodyThread: Pick<BodyThread, 'readBatch' | 'readWebhook' | 'readProof'>;
  /** Resolves once it is on stable storage. */
  accept(request: AppendRequest): Promise<AppendResult>;
}

/** `POST /v1/ingest`: a batch of events from code, all or nothing. */
export function createHttpIngest(dependencies: IngestDependencies) {
  const { directory, activity, limits, room, clock, bodyThread, accept } = dependencies;
  const readBatch = createBatchReader(limits);

  return async (request: Request): Promise<Response> => {
    // What is at hand is not awaited: at this endpoint's rate each turn of the event loop is felt.
    const known = authenticateKey(request, directory);
    const key = known instanceof Promise ? await known : known;
    if (mediaTypeOf(request) !== 'json') throw new Problem('unsupported_media_type');
    const idempotencyKey = readIdempotencyKey(request, limits);
    const unpacked = decompress(request, await readBytes(request, limits, room), limits);
    const bytes = unpacked instanceof Promise ? await unpacked : unpacked;

    const { receivedAt, events, bodyHash } =
      bytes.byteLength <= READ_IN_PLACE_BYTES
        ? readInPlace(bytes, idempotencyKey !== null)
        : await readOnThread(key.orgId, bytes, idempotencyKey !== null);
    const result = await accept({
      orgId: key.orgId,
      sourceId: null,
      receivedAt,
      events,
      idempotency:
        idempotencyKey === null
          ? null
          : {
              scope: key.orgId,
              key: idempotencyKey,
              bodyHash,
              expiresAt: receivedAt + (await directory.retentionMs(key.orgId)),
            },
    });
    activity.keyUsed(key.id);
    if (result.kind === 'conflict') throw new Problem('idempotency_conflict');
    return Response.json({ data: { events: result.events } }, { status: 202 });
  };

  function readInPlace(bytes: Uint8Array, isHashed: boolean): ReadBatch {
    const receivedAt = clock.now();
    const events = readBatch(bytes).map(event => toNewEvent(event, receivedAt));
    return { receivedAt, events, bodyHash: isHashed ? hashBody(bytes) : null };
  }

  async function readOnThread(orgId: string, bytes: Uint8Array, isHashed: boolean): Promise<ReadBatch> {
    const { packed, hash } = await bodyThread.readBatch(orgId, bytes, isHashed);
    const receivedAt = clock.now();
    return { receivedAt, events: unpackBatch(packed, receivedAt), bodyHash: hash };
  }
}

interface ReadBatch {
  readonly receivedAt: number;
  readonly events: NewEvent[];
  readonly bodyHash: string | null;
}
