import type { UpkeepStore } from '../../../core/stores/upkeep.ts';
import { read, type StoreOperations, write } from '../../operation.ts';
import { recountAfter } from '../counters/lost-counts.ts';
import { pruneProcessing } from '../journal/prune.ts';
import * as claims from './claims-of-nodes.ts';
import { pruneDeleted, reopenDeleted } from './deleted-organisations.ts';
import * as nodes from './nodes.ts';
import * as upkeep from './upkeep.ts';

/** What the installation keeps about itself, and what goes when its time is over. */
export const upkeepOperations: StoreOperations<UpkeepStore> = {
  keepSetting: write(upkeep.keepSetting),
  findSetting: read(upkeep.findSetting),
  replaceSetting: write(upkeep.replaceSetting),
  pruneExpired: write(upkeep.pruneExpired),
  pruneDeleted: write(pruneDeleted),
  reopenDeleted: write(reopenDeleted),
  pruneProcessing: write(pruneProcessing),
  join: write(nodes.join),
  heartbeat: write(nodes.heartbeat),
  buryNodes: write(nodes.buryNodes),
  recountAfter: write(recountAfter),
  leave: write(nodes.leave),
  listNodes: read(nodes.listNodes),
  listClaims: read(claims.listClaims),
  freeClaims: write(claims.freeClaims),
};
