/** A program that tracks so many events as fast as they are stored, and says how many a second that was and what it cost. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '@sluice/sdk';

const [, , url, key, count] = process.argv;
/** The reference event of every measurement. */
const { type, icon, payload } = JSON.parse(readFileSync(0, 'utf8'));
let dropped = 0;
const client = createClient({ url, key, onDrop: () => dropped++ });

const [begun, spent] = [performance.now(), process.cpuUsage()];
for (let n = 0; n < Number(count); n++) {
  client.track(type, payload, { icon });
  // An application does other things as well; and what has no room would be dropped.
  if (n % 200 === 199) await setTimeout(0);
  while (client.waiting > 20_000) await setTimeout(2);
}
await client.flush();
const seconds = (performance.now() - begun) / 1_000;
const { user, system } = process.cpuUsage(spent);
console.log(JSON.stringify({ perSecond: Number(count) / seconds, cpuMs: (user + system) / 1_000, dropped }));
