import { findDamage } from './damage.ts';
import { openForReading } from './open.ts';

/** A thread that lives for one look at every page of a large database, while the service already runs. */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

self.onmessage = event => {
  const database = openForReading((event.data as { file: string }).file);
  self.postMessage({ damage: findDamage(database) });
  database.close();
};
