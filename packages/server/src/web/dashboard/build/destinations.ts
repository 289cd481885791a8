import type { DestinationRecord, TableColumnsRecord } from '@sluice/contract/dashboard-deliveries';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { type Clock, seconds, toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { DestinationAdmin, FoundTable, Rotation } from '../../../core/kinds/destination-admin.ts';
import { LISTENER_KIND } from '../../../core/kinds/listeners.ts';
import type { StoredDestination } from '../../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import { pageOf } from '../../paging.ts';
import type { Calls } from '../calls.ts';
import { type StateDependencies, statesOf } from '../destination-states.ts';
import type { SessionCall, SessionCallTo } from '../exchange.ts';
import { newestFirst, optionalTime, showKind } from '../records.ts';
import { changedDestination, newDestination } from './destination-input.ts';

const closedBreakerRecord = {
  state: 'closed',
  opened_at: null,
  last_probe_at: null,
  next_probe_at: null,
  last_failure: null,
} as const satisfies Omit<DestinationRecord['breaker'], 'waiting'>;

/** Both are answered alike. */
type Paused = SessionCallTo<'POST /destinations/:id/pause'> | SessionCallTo<'POST /destinations/:id/resume'>;

/** Destinations. Secrets are answered when made or rotated only, and shown as set afterwards. */
export function destinationCalls(
  calls: Calls,
  {
    configuration,
    counters,
    deliveryQueue,
    destinationAdmin,
    clock,
  }: {
    readonly configuration: Pick<ConfigurationStore, 'audited' | 'findDestination' | 'listDestinations'>;
    readonly counters: StateDependencies['counters'];
    readonly deliveryQueue: Pick<DeliveryQueue, 'findLastEnds' | 'readBacklogOf'>;
    readonly destinationAdmin: DestinationAdmin;
    readonly clock: Clock;
  },
): void {
  async function find({ session, param }: SessionCall<'id'>): Promise<StoredDestination> {
    const destination = await configuration.findDestination(session.orgId, param('id'));
    if (destination === null) throw new Problem('not_found');
    return destination;
  }

  async function showBreaker(
    destination: StoredDestination,
    isListed: boolean,
  ): Promise<DestinationRecord['breaker']> {
    const { orgId, id, breaker } = destination;
    // In a list the figures beside it say what waits.
    if (breaker === null && isListed) return { ...closedBreakerRecord, waiting: null };
    const { waiting, firstDueAt } = await deliveryQueue.readBacklogOf(orgId, id, MOST_COUNTED);
    if (breaker === null) return { ...closedBreakerRecord, waiting };
    return {
      state: 'open',
      opened_at: toRfc3339(breaker.openedAt),
      last_probe_at: optionalTime(breaker.lastProbeAt),
      next_probe_at: optionalTime(destinationAdmin.nextProbeAt(destination, firstDueAt)),
      last_failure: breaker.lastFailure,
      waiting,
    };
  }

  const states = (orgId: string, destinations: readonly StoredDestination[]) =>
    statesOf(orgId, destinations, { counters, deliveryQueue, clock });

  const show = async (
    destination: StoredDestination,
    stateOf?: Awaited<ReturnType<typeof states>>,
  ): Promise<DestinationRecord> => ({
    id: destination.id,
    kind: destination.kind,
    name: destination.name,
    config: destinationAdmin.show(destination),
    policy: destination.policy,
    paused: destination.paused,
    state: (stateOf ?? (await states(destination.orgId, [destination])))(destination),
    breaker: await showBreaker(destination, stateOf !== undefined),
    listener: destination.kind === LISTENER_KIND ? { connected: destination.listenerToken !== null } : null,
    rotation: showRotation(destinationAdmin.rotationOf(destination)),
    created_at: toRfc3339(destination.createdAt),
    updated_at: toRfc3339(destination.updatedAt),
  });

  calls.on('GET /kinds/destinations', 'read', async call =>
    call.answer(destinationAdmin.kinds().map(showKind)),
  );

  calls.on('GET /destinations', 'read', async call => {
    const page = call.page('destinations', call.query());
    const { rows, next } = pageOf(
      await configuration.listDestinations(call.session.orgId),
      newestFirst,
      page,
    );
    const stateOf = await states(call.session.orgId, rows);
    return page.answer(await Promise.all(rows.map(row => show(row, stateOf))), next);
  });

  calls.on('POST /destinations/columns', 'destinations.change', async call => {
    const { kind, config, id } = await call.body();
    const { orgId } = call.session;
    const stored = id === undefined ? null : await configuration.findDestination(orgId, id);
    if (id !== undefined && stored?.kind !== kind) throw new Problem('not_found');
    const found = await destinationAdmin.readColumns({
      orgId,
      id: id ?? '',
      kind,
      config: config as JsonObject,
      stored,
    });
    return call.answer(showTable(found));
  });

  calls.on('POST /destinations', 'destinations.change', async call => {
    const { clone_of, ...input } = await call.body();
    const { orgId } = call.session;
    const original = clone_of === undefined ? null : await configuration.findDestination(orgId, clone_of);
    if (clone_of !== undefined && original?.kind !== input.kind) throw new Problem('not_found');
    const { destination, secret } = await newDestination(
      { ...input, original },
      orgId,
      clock.now(),
      destinationAdmin,
    );
    const { id, kind, name } = destination;
    const record = call.record('destination.created', id, { kind, name, clone_of });
    await configuration.audited(record).createDestination(destination);
    return call.answer({ ...(await show(destination)), ...(secret === null ? {} : { secret }) }, 201);
  });

  calls.on('GET /destinations/:id', 'read', async call => call.answer(await show(await find(call))));

  calls.on('PATCH /destinations/:id', 'destinations.change', async call => {
    const stored = await find(call);
    const given = await call.body();
    const { orgId, id } = stored;
    const { change, secret } = await changedDestination(given, stored, destinationAdmin);
    const record = call.record('destination.changed', id, {
      ...(given.name === undefined ? {} : { name: given.name }),
      fields: Object.keys(given),
    });
    await configuration.audited(record).updateDestination(orgId, id, change, clock.now());
    return call.answer({ ...(await show(await find(call))), ...(secret === null ? {} : { secret }) });
  });

  calls.on('DELETE /destinations/:id', 'destinations.change', async call => {
    const { orgId, id, name } = await find(call);
    const changes = configuration.audited(call.record('destination.deleted', id, { name }));
    if (!(await changes.deleteDestination(orgId, id, call.session.email, clock.now()))) {
      throw new Problem('not_found');
    }
    return call.answer({ id, deleted: true });
  });

  const setPaused = async (call: Paused, paused: boolean) => {
    const { orgId, id } = await find(call);
    const record = call.record(paused ? 'destination.paused' : 'destination.resumed', id);
    await configuration.audited(record).updateDestination(orgId, id, { paused }, clock.now());
    return call.answer(await show(await find(call)));
  };
  calls.on('POST /destinations/:id/pause', 'destinations.change', call => setPaused(call, true));
  calls.on('POST /destinations/:id/resume', 'destinations.change', call => setPaused(call, false));

  calls.on('POST /destinations/:id/rotate', 'destinations.change', async call => {
    const destination = await find(call);
    const { overlap_s } = await call.body();
    const now = clock.now();
    const { config, secret } = destinationAdmin.rotate(destination, now + seconds(overlap_s));
    const record = call.record('destination.secret_rotated', destination.id, { overlap_s });
    await configuration.audited(record).updateDestination(destination.orgId, destination.id, { config }, now);
    return call.answer({ ...(await show(await find(call))), secret });
  });
}

const showRotation = (rotation: Rotation | null) =>
  rotation && { previous_secret_until: optionalTime(rotation.previousHoldsUntil) };

const showTable = (found: FoundTable): TableColumnsRecord => ({
  table: found.table,
  exists: found.exists,
  may_insert: found.mayInsert,
  columns: found.columns.map(({ name, type, isRequired, isGenerated, isUnique }) => ({
    name,
    type,
    required: isRequired,
    generated: isGenerated,
    unique: isUnique,
  })),
  default_columns: { ...found.defaultColumns },
  ddl: found.ddl,
});
