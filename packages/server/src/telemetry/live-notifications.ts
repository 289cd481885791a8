import type { DeliveryQueue } from '../core/stores/delivery-queue.ts';
import type { Stores } from '../core/stores/engine.ts';
import type { EventQueue } from '../core/stores/event-queue.ts';
import type { JobStore } from '../core/stores/jobs.ts';
import type { Journal } from '../core/stores/journal.ts';

type Note = (orgId: string) => void;

/** Stores that say where something was accepted, processed, attempted or moved on, so that pages look again. */
export const withLiveNotifications = <S extends Stores>(stores: S, note: Note): S => ({
  ...stores,
  journal: notingJournal(stores.journal, note),
  eventQueue: notingEvents(stores.eventQueue, note),
  deliveryQueue: notingDeliveries(stores.deliveryQueue, note),
  jobs: notingJobs(stores.jobs, note),
});

const notingJournal = (journal: Journal, note: Note): Journal => ({
  ...journal,
  async append(requests) {
    const results = await journal.append(requests);
    noteAll(requests, note);
    return results;
  },
});

const notingEvents = (eventQueue: EventQueue, note: Note): EventQueue => ({
  ...eventQueue,
  async settleEvents(settlements, at) {
    const results = await eventQueue.settleEvents(settlements, at);
    noteAll(settlements, note);
    return results;
  },
});

const notingDeliveries = (deliveryQueue: DeliveryQueue, note: Note): DeliveryQueue => ({
  ...deliveryQueue,
  async recordAttempts(records) {
    const refused = await deliveryQueue.recordAttempts(records);
    noteAll(records, note);
    return refused;
  },
});

const notingJobs = (jobs: JobStore, note: Note): JobStore => ({
  ...jobs,
  async advanceJob(job, ...rest) {
    const isOpen = await jobs.advanceJob(job, ...rest);
    note(job.orgId);
    return isOpen;
  },
  async finishJob(orgId, ...rest) {
    const isFinished = await jobs.finishJob(orgId, ...rest);
    note(orgId);
    return isFinished;
  },
});

function noteAll(of: readonly { readonly orgId: string }[], note: Note): void {
  for (const { orgId } of of) note(orgId);
}
