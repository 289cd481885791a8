import { packEvent, unpackEvent } from '../../core/threads/packed-event.ts';
import { TextReader, TextWriter } from '../../core/threads/packed-text.ts';
import type { DryRun } from '../ports/port.ts';
import type { PostedRun, RunReport, ThreadReport } from './protocol.ts';

/** Runs and their reports as they cross the threads: every event does so with its payload and its traces. */

export function packRuns(runs: readonly PostedRun[]): string {
  const writer = new TextWriter();
  for (const { n, pipelineName, orgId, event, payload, sourceName, retries, dryRun } of runs) {
    writer.number(n).text(pipelineName).text(orgId);
    packEvent(writer, event)
      .text(payload)
      .textOrNull(sourceName)
      .number(retries)
      .textOrNull(dryRun === undefined ? null : JSON.stringify(dryRun));
  }
  return writer.end();
}

export function unpackRuns(packed: string): PostedRun[] {
  const reader = new TextReader(packed);
  const runs: PostedRun[] = [];
  while (reader.hasMore()) {
    const run = {
      n: reader.number(),
      pipelineName: reader.text(),
      orgId: reader.text(),
      event: unpackEvent(reader),
      payload: reader.text(),
      sourceName: reader.textOrNull(),
      retries: reader.number(),
    };
    const dryRun = reader.textOrNull();
    runs.push(dryRun === null ? run : { ...run, dryRun: JSON.parse(dryRun) as DryRun });
  }
  return runs;
}

export type NumberedReport = readonly [n: number, report: ThreadReport];
type Settled = Extract<RunReport, { kind: 'settled' }>;
type Made = Pick<Settled, 'notes' | 'claims' | 'destinations' | 'tallies' | 'said'>;
const nothingMade: Made = { notes: [], claims: [], destinations: [], tallies: [] };

export function packReports(reports: readonly NumberedReport[]): string {
  const writer = new TextWriter();
  for (const [n, report] of reports) {
    writer.number(n).text(report.kind);
    if (report.kind !== 'settled') {
      writer.json(report);
      continue;
    }
    const { notes, claims, destinations, tallies, said } = report;
    const isPlain =
      said === undefined && notes.length + claims.length + destinations.length + tallies.length === 0;
    writer
      .text(report.outcome)
      .numberOrNull(report.step)
      .textOrNull(report.reason)
      .text(report.trace)
      .text(report.output)
      .text(report.durations)
      .textOrNull(isPlain ? null : JSON.stringify({ notes, claims, destinations, tallies, said }))
      .number(report.busyMs);
  }
  return writer.end();
}

export function unpackReports(packed: string): NumberedReport[] {
  const reader = new TextReader(packed);
  const reports: NumberedReport[] = [];
  while (reader.hasMore()) {
    const n = reader.number();
    if (reader.text() !== 'settled') {
      reports.push([n, reader.json<ThreadReport>()]);
      continue;
    }
    const ended = {
      kind: 'settled' as const,
      outcome: reader.text() as Settled['outcome'],
      step: reader.numberOrNull(),
      reason: reader.textOrNull(),
      trace: reader.text(),
      output: reader.text(),
      durations: reader.text(),
    };
    const made = reader.textOrNull();
    const busyMs = reader.number();
    reports.push([n, { ...ended, ...(made === null ? nothingMade : (JSON.parse(made) as Made)), busyMs }]);
  }
  return reports;
}
