import type { Settings } from '../settings.ts';
import type { Terminal } from './terminal.ts';

/** One word after `sluice`. Answers the exit code: 0 done, 1 failed, 2 asked for the wrong thing. */
export interface Command {
  /** What follows the word. */
  readonly usage: string;
  readonly summary: string;
  run(args: readonly string[], context: CommandContext): Promise<number>;
}

export interface CommandContext {
  readonly settings: Settings;
  readonly terminal: Terminal;
}
