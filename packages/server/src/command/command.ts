import type { SettingName, Settings } from '../settings.ts';
import type { Terminal } from './terminal.ts';

/**
 * One word after `sluice`, as it describes itself: help, completion, `docs/reference/command.md` and the reading of what
 * was typed all follow from this.
 */
export interface Command {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** Paragraphs, for those who want to know more. */
  readonly about?: readonly string[];
  readonly argument?: CommandArgument;
  readonly options?: readonly CommandOption[];
  /** What the exit code says, beside those that every command has. */
  readonly exits: Readonly<Record<number, string>>;
  /** Without `sluice` before it. */
  readonly examples?: readonly string[];
  /** Answers the exit code. */
  run(given: Given, context: CommandContext): Promise<number>;
}

interface CommandArgument {
  readonly name: string;
  readonly meaning: string;
  readonly isRequired: boolean;
  readonly choices?: readonly string[];
  /** Whether shells should offer files. */
  readonly isFile?: true;
}

export interface CommandOption {
  /** `url`, for `--url`. */
  readonly name: string;
  /** What stands after it: `URL`. Absent: it is a flag. */
  readonly value?: string;
  readonly meaning: string;
  readonly choices?: readonly string[];
  /** Holds where the option is not given. */
  readonly setting?: SettingName;
}

/** What was typed after the word. */
export interface Given {
  readonly argument: string | undefined;
  has(flag: string): boolean;
  /** Of the option, or of the setting that stands in for it. */
  value(option: string): string | undefined;
}

export interface CommandContext {
  readonly settings: Settings;
  readonly terminal: Terminal;
}

/** Every command takes these. */
export const commonOptions: readonly CommandOption[] = [
  { name: 'json', meaning: 'Print JSON instead of text.' },
  { name: 'help', meaning: 'Show what the command does.' },
];

/** The command line was wrong: as `EX_USAGE` of sysexits, so that no other failure is mistaken for it. */
export const WRONG_USAGE = 64;

/** What was typed cannot be done as it stands. */
export class UsageError extends Error {}

/** `--json` prints the value, everybody else reads the lines. */
export function report(
  given: Pick<Given, 'has'>,
  terminal: Pick<Terminal, 'say'>,
  value: object,
  lines: readonly string[],
): void {
  if (given.has('json')) terminal.say(JSON.stringify(value));
  else for (const line of lines) terminal.say(line);
}
