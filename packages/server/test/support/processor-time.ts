import { readFileSync } from 'node:fs';

/** What the main thread of this process has had of the processor, which other processes may want too. */
export const mainThreadMs = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
