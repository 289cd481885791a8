/**
 * A program that tracks events until its standard input ends, closes its client, and says what became of them.
 * Every event has a type of its own, which is how it is found again.
 */
import { createClient } from '@sluice/sdk';

const [, , url, key, every, most] = process.argv;
const dropped = [];
let failures = 0;

const client = createClient({
  url,
  key,
  batchEvents: 20,
  batchMs: 10,
  maxPauseMs: 500,
  timeoutMs: 1_000,
  onDrop: ({ type, reason }) => dropped.push({ type, reason }),
  onError: () => failures++,
});

let taken = 0;
const pace = setInterval(() => {
  for (let i = 0; i < Number(every) && client.waiting < Number(most); i++)
    if (client.track(`sent.${taken}`, { n: taken }, { icon: '📦' })) taken++;
}, 5);

process.stdin.resume().on('end', async () => {
  clearInterval(pace);
  const { left } = await client.close({ timeout: 120_000 });
  console.log(JSON.stringify({ taken, left, dropped, failures }));
});
