import type { ClaimedBatch, ClaimedEvent, SettledRun, Settlement } from '../../core/stores/event-queue.ts';
import { packEvent, unpackEvent } from '../../core/threads/packed-event.ts';
import { TextReader, TextWriter } from '../../core/threads/packed-text.ts';
import { keptOutput, keptTrace } from '../kept-run.ts';

/** Claims and settlements as they cross the threads: every event does so twice, with its payload and its traces. */

export function packClaims({ events, after }: ClaimedBatch): string {
  const writer = new TextWriter().text(after);
  for (const { orgId, event, payload, sourceId, jobId, plan, token, tries } of events) {
    packEvent(writer.text(orgId), event)
      .text(payload)
      .textOrNull(sourceId)
      .textOrNull(jobId)
      .textOrNull(plan === null ? null : JSON.stringify(plan))
      .text(token)
      .number(tries);
  }
  return writer.end();
}

export function unpackClaims(packed: string): ClaimedBatch {
  const reader = new TextReader(packed);
  const after = reader.text();
  const events: ClaimedEvent[] = [];
  while (reader.hasMore()) {
    const [orgId, event] = [reader.text(), unpackEvent(reader)];
    const [payload, sourceId, jobId, plan] = [
      reader.text(),
      reader.textOrNull(),
      reader.textOrNull(),
      reader.textOrNull(),
    ];
    events.push({
      orgId,
      event,
      payload,
      sourceId,
      jobId,
      plan: plan === null ? null : (JSON.parse(plan) as ClaimedEvent['plan']),
      token: reader.text(),
      tries: reader.number(),
    });
  }
  return { events, after };
}

export function packSettlements(settlements: readonly Settlement[]): string {
  const writer = new TextWriter();
  for (const settlement of settlements) {
    const {
      orgId,
      eventId,
      jobId,
      token,
      isBornClaimed,
      round,
      parked,
      retryOf,
      matchedSources,
      tallies,
      runs,
    } = settlement;
    const hasMore = parked.length + tallies.length > 0 || retryOf !== undefined;
    writer
      .text(orgId)
      .text(eventId)
      .textOrNull(jobId)
      .text(token)
      .number(isBornClaimed ? 1 : 0)
      .textOrNull(packClaimed(settlement))
      .text(round)
      .textOrNull(matchedSources === null ? null : JSON.stringify(matchedSources))
      .textOrNull(hasMore ? JSON.stringify({ parked, tallies, retryOf }) : null)
      .number(runs.length);
    for (const run of runs) packRun(writer, run);
  }
  return writer.end();
}

function packRun(writer: TextWriter, run: SettledRun): void {
  const { notes, claims, destinations } = run;
  writer
    .text(run.id)
    .text(run.pipelineId)
    .text(run.pipelineName)
    .number(run.version)
    .textOrNull(run.sourceName)
    .text(run.outcome)
    .numberOrNull(run.step)
    .textOrNull(run.reason)
    .text(keptTrace(run))
    .text(keptOutput(run))
    .textOrNull(
      notes.length + claims.length + destinations.length === 0
        ? null
        : JSON.stringify({ notes, claims, destinations }),
    );
}

type Waiting = Pick<Settlement, 'parked' | 'tallies' | 'retryOf'>;
type Made = Pick<SettledRun, 'notes' | 'claims' | 'destinations'>;
const nothingWaits: Waiting = { parked: [], tallies: [] };
const nothingMade: Made = { notes: [], claims: [], destinations: [] };

export function unpackSettlements(packed: string): Settlement[] {
  const reader = new TextReader(packed);
  const settlements: Settlement[] = [];
  while (reader.hasMore()) {
    const [orgId, eventId, jobId, token] = [reader.text(), reader.text(), reader.textOrNull(), reader.text()];
    const born = reader.number() === 1 ? { isBornClaimed: true as const } : {};
    const claimed = unpackClaimed(reader.textOrNull());
    const round = reader.text() as Settlement['round'];
    const [sources, waiting] = [reader.textOrNull(), reader.textOrNull()];
    const runs: SettledRun[] = [];
    for (let left = reader.number(); left > 0; left--) runs.push(unpackRun(reader));
    settlements.push({
      orgId,
      eventId,
      jobId,
      token,
      ...born,
      ...claimed,
      round,
      matchedSources: sources === null ? null : (JSON.parse(sources) as Settlement['matchedSources']),
      ...(waiting === null ? nothingWaits : (JSON.parse(waiting) as Waiting)),
      runs,
    });
  }
  return settlements;
}

/** None of them has line breaks. */
const packClaimed = ({ claimedDeliveries }: Settlement): string | null =>
  claimedDeliveries === undefined ? null : [claimedDeliveries.token, ...claimedDeliveries.claims].join('\n');

function unpackClaimed(packed: string | null): Pick<Settlement, 'claimedDeliveries'> {
  if (packed === null) return {};
  const [token = '', ...claims] = packed.split('\n');
  return { claimedDeliveries: { token, claims } };
}

function unpackRun(reader: TextReader): SettledRun {
  const run = {
    id: reader.text(),
    pipelineId: reader.text(),
    pipelineName: reader.text(),
    version: reader.number(),
    sourceName: reader.textOrNull(),
    outcome: reader.text() as SettledRun['outcome'],
    step: reader.numberOrNull(),
    reason: reader.textOrNull(),
    trace: reader.text(),
    output: reader.text(),
    // What they take from it was taken before they came across.
    payload: '',
  };
  const made = reader.textOrNull();
  return { ...run, ...(made === null ? nothingMade : (JSON.parse(made) as Made)) };
}
