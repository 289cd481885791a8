import type { EventLimits } from '@sluice/contract';
import {
  MOST_TEST_EVENT_BYTES,
  MOST_TEST_EVENTS,
  type TestEventRecord,
  testEventBody,
  testEventChange,
} from '@sluice/contract/dashboard-test-events';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import { parseJson, stringifyJson } from '../../../core/json/json.ts';
import type { StoredTestEvent } from '../../../core/stores/configuration/test-events.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Calls } from '../calls.ts';

/** Saved test events, which all of an organisation share. */
export function testEventCalls(
  calls: Calls,
  {
    configuration,
    clock,
    limits,
  }: {
    readonly configuration: Pick<ConfigurationStore, 'audited' | 'findTestEvent' | 'listTestEvents'>;
    readonly clock: Clock;
    /** Those of the ingest endpoints: what could not be ingested is not tried either. */
    readonly limits: EventLimits;
  },
): void {
  const [bodyShape, changeShape] = [testEventBody(limits), testEventChange(limits)];

  async function find(orgId: string, id: string): Promise<StoredTestEvent> {
    const found = await configuration.findTestEvent(orgId, id);
    if (found === null) throw new Problem('not_found');
    return found;
  }

  calls.on('GET /test-events', 'read', async call => {
    const saved = await configuration.listTestEvents(call.session.orgId);
    return call.answer(saved.map(show));
  });

  calls.on('POST /test-events', 'pipelines.change', async call => {
    const { name, event } = await call.body(bodyShape);
    const { orgId, email } = call.session;
    const now = clock.now();
    const saved: StoredTestEvent = {
      id: newId('tev', now),
      orgId,
      name,
      event: written(event),
      createdBy: email,
      createdAt: now,
      updatedAt: now,
    };
    const record = call.record('test_event.created', saved.id, { name, type: event.type });
    const result = await configuration.audited(record).createTestEvent(saved, MOST_TEST_EVENTS);
    if (result === 'too_many') {
      throw new Problem('limit_reached', {
        message: `An organisation may save ${MOST_TEST_EVENTS} test events. Delete one that is not used any more.`,
      });
    }
    return call.answer(show(saved), 201);
  });

  calls.on('PATCH /test-events/:id', 'pipelines.change', async call => {
    const id = call.param('id');
    await find(call.session.orgId, id);
    const given = await call.body(changeShape);
    const { orgId } = call.session;
    const change = { name: given.name, event: given.event && written(given.event) };
    const details = { ...(given.name === undefined ? {} : { name: given.name }), fields: Object.keys(given) };
    const changes = configuration.audited(call.record('test_event.changed', id, details));
    if (!(await changes.updateTestEvent(orgId, id, change, clock.now()))) throw new Problem('not_found');
    return call.answer(show(await find(orgId, id)));
  });

  calls.on('DELETE /test-events/:id', 'pipelines.change', async call => {
    const { orgId } = call.session;
    const { id, name } = await find(orgId, call.param('id'));
    const changes = configuration.audited(call.record('test_event.deleted', id, { name }));
    if (!(await changes.deleteTestEvent(orgId, id))) throw new Problem('not_found');
    return call.answer({ id, deleted: true });
  });
}

function written(event: object): string {
  const text = stringifyJson(event);
  if (Buffer.byteLength(text) <= MOST_TEST_EVENT_BYTES) return text;
  throw new Problem('payload_too_large', {
    path: 'event',
    message: `event may come to at most ${MOST_TEST_EVENT_BYTES} bytes.`,
  });
}

const show = ({ id, name, event, createdBy, createdAt, updatedAt }: StoredTestEvent): TestEventRecord => ({
  id,
  name,
  event: parseJson(event) as TestEventRecord['event'],
  created_by: createdBy,
  created_at: toRfc3339(createdAt),
  updated_at: toRfc3339(updatedAt),
});
