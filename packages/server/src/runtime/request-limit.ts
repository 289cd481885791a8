import { isEmbedded } from '../core/threads/script.ts';

/**
 * Bun has 256 outgoing requests under way at most, for the whole process: a few receivers that hang would hold all
 * of them, and nothing would go out to anybody else. It reads another number from its environment, but only while
 * it starts; so a process that was started without one takes its own place, with the same id and the same words.
 */
const NAME = 'BUN_CONFIG_MAX_HTTP_REQUESTS';
const REQUESTS_AT_ONCE = '20000';

export function liftRequestLimit(): void {
  if (Bun.env[NAME] !== undefined || process.execve === undefined) return;
  // In a self-contained executable the script is part of it.
  const [, script = '', ...args] = process.argv;
  const words = [process.execPath, ...process.execArgv, ...(isEmbedded(script) ? [] : [script]), ...args];
  process.execve(process.execPath, words, { ...Bun.env, [NAME]: REQUESTS_AT_ONCE });
}
