import type { Journal } from '../../../core/stores/journal.ts';
import { read, type StoreOperations, write } from '../../operation.ts';
import { listEventTimes, listEventTypes } from './event-times.ts';
import * as events from './events.ts';
import { excerptPayloads, readPayloads } from './payloads.ts';
import { pruneEvents } from './prune.ts';

/** Events as they were accepted; `append` is each engine's own. */
export const journalOperations: StoreOperations<Journal, 'append'> = {
  findEventsOfKey: write(events.findEventsOfKey),
  // Slice by slice down the ids, which need not agree with each other.
  listEvents: read(events.listEvents),
  listEventTimes: read(listEventTimes),
  listEventTypes: read(listEventTypes),
  readPayloads: read(readPayloads),
  excerptPayloads: read(excerptPayloads),
  findEvent: read(events.findEvent),
  findEvents: read(events.findEvents),
  pruneEvents: write(pruneEvents),
};
