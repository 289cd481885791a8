/** A program that tracks one event and then ends, in one of several ways. */
import { createClient } from '@sluice/sdk';
import { diskSpool } from '@sluice/sdk/spool';

const [, , ending, url, key, type, directory] = process.argv;
const spool = directory === undefined ? undefined : diskSpool(directory);
// Only the end can send it: no batch is due for an hour.
const client = createClient({ url, key, spool, batchMs: 3_600_000, exitTimeoutMs: 60_000 });
client.track(type, { ending });

const live = () => setInterval(() => {}, 1_000);
const endings = {
  'closes its client': () => client.close(),
  'has nothing more to do': () => {},
  'is told to end': () => {
    live();
    process.kill(process.pid, 'SIGTERM');
  },
  'ends by itself when it is told to': () => {
    live();
    process.once('SIGTERM', async () => {
      await client.close();
      process.exit(7);
    });
    process.kill(process.pid, 'SIGTERM');
  },
  'is killed': () => process.kill(process.pid, 'SIGKILL'),
};
await endings[ending]();
