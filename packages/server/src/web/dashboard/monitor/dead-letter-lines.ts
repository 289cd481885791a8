import type { DeadLetter } from '@sluice/contract/dashboard-letters';
import { type Clock, seconds, toRfc3339 } from '../../../core/clock.ts';
import type { DeadLetterActions, StoredDeadLetter } from '../../../core/jobs/dead-letters.ts';
import type { ExportRequestOf, ExportSource } from '../../../core/jobs/export.ts';
import type { LETTERS_EXPORT_JOB } from '../../../core/jobs/export-job.ts';
import { onOneLine } from '../../../core/json/one-line.ts';
import type { Job } from '../../../core/stores/jobs.ts';
import { showDelivery } from './deliveries.ts';

/** Dead letters as they are shown, and as the lines of a file. */

/** Reading one takes several look-ups. */
const MOST_LETTERS = 100;
const MOST_BYTES = 1024 * 1024;
/** Where many are none any more, the others are far apart. */
const MOST_LOOKED_AT = 500;
/** A job is this node's for a minute. */
const MOST_MS = seconds(5);

/** The dead letters of an export job. */
export function exportedLetters(
  deadLetters: Pick<DeadLetterActions, 'export'>,
  { orgId }: Job,
  { selection }: ExportRequestOf<typeof LETTERS_EXPORT_JOB>,
  clock: Clock,
): ExportSource {
  return {
    heading: '',
    what: 'dead letters',
    async read(below) {
      const lines: string[] = [];
      let bytes = 0;
      let lookedAt = 0;
      const until = clock.now() + MOST_MS;
      for await (const { letter, payload, place } of deadLetters.export(orgId, selection, below)) {
        lookedAt++;
        if (letter !== null) {
          const line = exportedLine(letter, payload);
          bytes += Buffer.byteLength(line);
          lines.push(line);
        }
        const isFull = lines.length === MOST_LETTERS || bytes >= MOST_BYTES;
        if (isFull || lookedAt === MOST_LOOKED_AT || clock.now() >= until)
          return { text: lines.join(''), count: lines.length, next: place };
      }
      return { text: lines.join(''), count: lines.length, next: null };
    },
  };
}

/** The payload goes out as the text it is stored as: read and written again, some numbers would change. */
export const exportedLine = (letter: StoredDeadLetter, payload: string | null): string =>
  `${JSON.stringify(showLetter(letter)).slice(0, -1)},"payload":${payload === null ? null : onOneLine(payload)}}\n`;

export function showLetter(letter: StoredDeadLetter, mostAttempts?: number): DeadLetter {
  if (letter.kind === 'delivery') {
    const { delivery, attempts } = letter;
    return {
      kind: 'delivery',
      ...showDelivery(delivery, attempts, mostAttempts),
      reason: attempts.at(-1)?.message ?? delivery.code,
    };
  }
  const { id, failures } = letter;
  const [first] = failures;
  return {
    kind: 'event',
    id,
    event_id: id,
    event_type: first.eventType,
    state: first.eventState,
    received_at: toRfc3339(first.receivedAt),
    failures: failures.map(failure => ({
      pipeline: { id: failure.pipelineId, name: failure.pipelineName, version: failure.version },
      step: failure.step,
      reason: failure.reason,
    })),
    reason: failures.at(-1)?.reason ?? null,
  };
}
