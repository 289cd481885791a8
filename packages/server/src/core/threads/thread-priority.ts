import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** How far behind: the kernel's own scale, where 19 is last. */
const BEHIND = { reading: 4, sending: 6, others: 10 };

/**
 * Puts the thread that calls this behind the others of the machine where they all want the CPU. Only Linux tells a
 * thread its own number; elsewhere, and where it is forbidden, nothing changes.
 */
export function lowerThreadPriority(of: keyof typeof BEHIND = 'others'): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, BEHIND[of]);
  } catch {
    return;
  }
}
