import { setTimeout as sleep } from 'node:timers/promises';
import { minutes, seconds } from '../core/clock.ts';
import { repeat } from '../core/work/repeat.ts';
import { createIndexUpkeep } from '../entities/search-index.ts';
import { createRemoval } from '../journal/deleted-organisations.ts';
import { createExportJobs } from '../journal/export/export-job.ts';
import { createRetention } from '../journal/retention.ts';
import { createRecounts } from '../telemetry/recounts.ts';
import { createExportOpener } from './exports.ts';
import type { Foundation } from './foundation.ts';
import { createKeyChange } from './key-change.ts';
import type { Part } from './part.ts';
import type { Parts } from './parts.ts';
import type { StoragePart } from './storage.ts';

/** Between two slices of what is removed or indexed, so that others come to storage. */
const pauseBriefly = () => sleep(20);

/** What is done again and again beside the events: writing what was counted, retention, jobs. */
export function composeUpkeep(
  foundation: Foundation,
  storage: StoragePart,
  { telemetry, endpoints, pipelines, delivery, nodes }: Parts,
): Part {
  const { settings, clock, isStopping, warn } = foundation;
  const { engine } = storage;
  const { accounts, configuration, counters, entities, jobs, journal, upkeep } = engine;
  const slices = { clock, pause: pauseBriefly, isStopping };
  const index = createIndexUpkeep({ accounts, entities, ...slices });
  engine.onConfigurationChanged(index.notice);
  const retention = createRetention({
    accounts,
    counters,
    journal,
    upkeep,
    defaultRetentionDays: settings.SLUICE_RETENTION_DAYS,
    deadLetterDays: settings.SLUICE_DEAD_LETTER_DAYS,
    onError: warn('retention'),
    ...slices,
  });
  const open = createExportOpener({ journal, configuration, deadLetters: delivery.deadLetters, clock });
  const exports = createExportJobs({ jobs, open, newToken: nodes.newToken, ...slices });
  const tasks: readonly (readonly [what: string, everyMs: number, work: () => Promise<unknown>])[] = [
    ['activity', seconds(1), endpoints.activity.flush],
    ['counters', seconds(1), () => telemetry.counts.flush()],
    ['recounts', seconds(5), createRecounts({ upkeep, ...slices })],
    ['last errors', seconds(1), telemetry.lastErrors.flush],
    ['labels', seconds(1), pipelines.flush],
    ['retention', minutes(10), retention],
    ['deleted organisations', seconds(5), createRemoval({ upkeep, ...slices })],
    ['search index', seconds(1), index.work],
    ['secret key', minutes(1), createKeyChange(foundation, storage, slices)],
    ...(settings.SLUICE_ROLES.includes('process')
      ? [['replays', seconds(1), pipelines.replayJobs] as const]
      : []),
    ...(settings.SLUICE_ROLES.includes('dashboard')
      ? [['exports', seconds(1), exports.work] as const, ['files', minutes(1), exports.prune] as const]
      : []),
    ...(delivery.letterJobs ? [['dead letters', seconds(1), delivery.letterJobs] as const] : []),
  ];
  let stops: readonly (() => Promise<void>)[] = [];
  return {
    start() {
      stops = tasks.map(([what, everyMs, work]) => repeat(everyMs, work, warn(what)));
    },
    async stop() {
      await Promise.all(stops.map(stop => stop()));
    },
  };
}
