import type { FaultKind } from '../schedule.ts';
import { failingFlush, fullDisk, slowDisk } from './disk.ts';
import type { Fault } from './fault.ts';
import { freeze, kill, terminate } from './nodes.ts';
import { deleteOrganisation } from './organisations.ts';
import { moveClock, troubleModel, troubleReceiver } from './others.ts';
import { deleteDestination, discard, editPipeline, erase, pause, retry } from './people.ts';
import { failOver, killPostgres, leaveAlone, silencePostgres } from './postgres.ts';

/** How each kind of fault is done. */
export const faults: Readonly<Record<FaultKind, Fault>> = {
  kill,
  terminate,
  freeze,
  'freeze-long': freeze,
  'full-disk': fullDisk,
  'failing-flush': failingFlush,
  'slow-disk': slowDisk,
  'postgres-kill': killPostgres,
  'postgres-silent': silencePostgres,
  'postgres-alone': leaveAlone,
  'postgres-failover': failOver,
  receiver: troubleReceiver,
  model: troubleModel,
  clock: moveClock,
  pause,
  'edit-pipeline': editPipeline,
  'delete-destination': deleteDestination,
  'delete-organisation': deleteOrganisation,
  erase,
  discard,
  retry,
};
