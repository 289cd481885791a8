import { initialSchema } from './0001-initial-schema.ts';
import { pipelinesAndDeliveries } from './0002-pipelines-and-deliveries.ts';
import { entities } from './0003-entities.ts';
import { counters } from './0004-counters.ts';
import { findingDeliveries } from './0005-finding-deliveries.ts';
import { rolesOfNodes } from './0006-roles-of-nodes.ts';
import { deletedOrganisations } from './0007-deleted-organisations.ts';
import { resolvedRuns } from './0008-resolved-runs.ts';
import { fencedJobsAndWaitingDeliveries } from './0009-fenced-jobs-and-waiting-deliveries.ts';
import { people } from './0010-people.ts';
import { replayedDeliveries } from './0011-replayed-deliveries.ts';
import { agreedBreakers } from './0012-agreed-breakers.ts';
import { claimsOfNodes } from './0013-claims-of-nodes.ts';
import { bornClaimed } from './0014-born-claimed.ts';
import { keptTogether } from './0015-kept-together.ts';
import { providers } from './0016-providers.ts';
import { listeners } from './0017-listeners.ts';
import { traitsInOrder } from './0018-traits-in-order.ts';
import { lostCountsAndSlugs } from './0019-lost-counts-and-slugs.ts';
import { systemSources } from './0020-system-sources.ts';
import { endedDeliveries } from './0021-ended-deliveries.ts';
import { nodesAtWork } from './0022-nodes-at-work.ts';
import { accountAndAudit } from './0023-account-and-audit.ts';
import { recountsAndFailuresByTime } from './0024-recounts-and-failures-by-time.ts';
import { exportsAndSavedViews } from './0025-exports-and-saved-views.ts';
import { failedExchanges } from './0026-failed-exchanges.ts';
import { testEvents } from './0027-test-events.ts';
import { notesAndLastErrors } from './0028-notes-and-last-errors.ts';
import { statusOfRetrying } from './0029-status-of-retrying.ts';

/**
 * In order, never edited once released. An engine runs those beyond the version it finds, each in one
 * transaction with the new version's record: killed at any point, the next start finds it whole or not begun.
 */
export const migrations: readonly (readonly string[])[] = [
  initialSchema,
  pipelinesAndDeliveries,
  entities,
  counters,
  findingDeliveries,
  rolesOfNodes,
  deletedOrganisations,
  resolvedRuns,
  fencedJobsAndWaitingDeliveries,
  people,
  replayedDeliveries,
  agreedBreakers,
  claimsOfNodes,
  bornClaimed,
  keptTogether,
  providers,
  listeners,
  traitsInOrder,
  lostCountsAndSlugs,
  systemSources,
  endedDeliveries,
  nodesAtWork,
  accountAndAudit,
  recountsAndFailuresByTime,
  exportsAndSavedViews,
  failedExchanges,
  testEvents,
  notesAndLastErrors,
  statusOfRetrying,
];

/**
 * Those that add and change nothing that is there and is read: nodes of the version before work on beside them, and may be started
 * again. With any other, nodes that do not know it must have ended.
 */
export const onlyAdding: ReadonlySet<readonly string[]> = new Set([
  nodesAtWork,
  accountAndAudit,
  exportsAndSavedViews,
  testEvents,
  notesAndLastErrors,
  statusOfRetrying,
]);
