import type { AlertStore } from '../../../core/stores/alerts.ts';
import { read, type StoreOperations, write } from '../../operation.ts';
import * as alerts from './alerts.ts';
import { readFailures } from './failures.ts';
import { readTrouble } from './trouble.ts';

/** What is wrong, and what was told of it. */
export const alertOperations: StoreOperations<AlertStore> = {
  readTrouble: read(readTrouble),
  readFailures: read(readFailures),
  listAlerts: read(alerts.listAlerts),
  beginAlert: write(alerts.beginAlert),
  markRaised: write(alerts.markRaised),
  markRecovered: write(alerts.markRecovered),
  forgetAlert: write(alerts.forgetAlert),
  noteRaised: write(alerts.noteRaised),
  markAnnounced: write(alerts.markAnnounced),
  readRaised: read(alerts.readRaised),
  findFirstOrganisation: read(alerts.findFirstOrganisation),
};
