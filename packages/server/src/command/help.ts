import { type Command, type CommandOption, commonOptions, WRONG_USAGE } from './command.ts';

/** What `sluice` can do, and what each of its words does, from the table of commands. */
export function helpText(commands: readonly Command[]): string {
  const shown = commands.map(command => [usageOf(command), command.summary] as const);
  return [
    'Sluice receives events, stores them, and delivers them.',
    '',
    'Usage: sluice <command>',
    '',
    ...columns([...shown, ['help [command]', 'Show this, or what one command does.']]),
    '',
    'Settings are environment variables that begin with SLUICE_: docs/reference/settings.md lists them,',
    'and `sluice doctor` shows those in use.',
  ].join('\n');
}

export function helpOf(command: Command): string {
  const options = [...(command.options ?? []), ...commonOptions];
  const { argument } = command;
  return [
    `Usage: sluice ${usageOf(command)}${(command.options ?? []).length > 0 ? ' [options]' : ''}`,
    '',
    command.summary,
    ...(command.about ?? []).flatMap(paragraph => ['', paragraph]),
    ...(argument === undefined ? [] : ['', ...columns([[`<${argument.name}>`, argument.meaning]])]),
    '',
    'Options',
    ...columns(options.map(option => [spelt(option), meaningOf(option)])),
    '',
    'Exit codes',
    ...columns(exitsOf(command).map(([code, meaning]) => [String(code), meaning])),
    ...((command.examples ?? []).length > 0
      ? ['', 'Examples', ...(command.examples ?? []).map(example => `  sluice ${example}`)]
      : []),
  ].join('\n');
}

/** `backup <file>`. */
export function usageOf({ name, argument }: Command): string {
  if (argument === undefined) return name;
  const shown = argument.choices?.join('|') ?? argument.name;
  return argument.isRequired ? `${name} <${shown}>` : `${name} [${shown}]`;
}

export const spelt = ({ name, value }: CommandOption): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

export const meaningOf = ({ meaning, setting }: CommandOption): string =>
  setting === undefined ? meaning : `${meaning} Default: ${setting}.`;

/** Every code of a command with what it says, the least first. */
export const exitsOf = (command: Command): [number, string][] =>
  Object.entries({ ...command.exits, [WRONG_USAGE]: 'the command line is wrong' }).map(([code, meaning]) => [
    Number(code),
    meaning,
  ]);

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`);
}
