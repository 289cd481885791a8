import { parseArgs } from 'node:util';
import type { Settings } from '../settings.ts';
import { type Command, type CommandOption, commonOptions, type Given, UsageError } from './command.ts';

/** What was typed after a word, read by the command's own table. Throws a sentence that says what is wrong with it. */
export function readArguments(command: Command, args: readonly string[], settings: Settings): Given {
  const options = [...(command.options ?? []), ...commonOptions];
  const { values, positionals } = parse(command, args, options);
  const [argument, ...rest] = positionals;
  const wanted = command.argument;
  if (wanted === undefined && argument !== undefined) throw new UsageError(`It takes no "${argument}".`);
  if (rest.length > 0) throw new UsageError(`It takes one ${wanted?.name ?? 'argument'} at most.`);
  const isHelp = values.help === true;
  if (wanted?.isRequired && argument === undefined && !isHelp)
    throw new UsageError(`The ${wanted.name} is missing.`);
  requireChoice(wanted?.name ?? '', argument, wanted?.choices);
  for (const { name, choices } of options) requireChoice(`--${name}`, values[name], choices);
  return {
    argument,
    has: flag => values[flag] === true,
    value(name) {
      const given = values[name];
      if (typeof given === 'string') return given;
      const setting = options.find(option => option.name === name)?.setting;
      const standsIn = setting === undefined ? undefined : settings[setting];
      return standsIn === undefined ? undefined : String(standsIn);
    },
  };
}

function parse(command: Command, args: readonly string[], options: readonly CommandOption[]) {
  try {
    return parseArgs({
      args: [...args],
      options: Object.fromEntries(
        options.map(
          ({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
        ),
      ),
      allowPositionals: true,
    });
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    const [, option = ''] = /'(-[^ ']*)/.exec(message) ?? [];
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
      throw new UsageError(`sluice ${command.name} has no option ${option}.`);
    throw new UsageError(`${option} is used incorrectly.`);
  }
}

function requireChoice(name: string, given: unknown, choices: readonly string[] | undefined): void {
  if (given === undefined || choices === undefined || choices.includes(String(given))) return;
  throw new UsageError(`${name} must be one of ${choices.join(', ')}.`);
}

/** The value of an option that there has to be, or of the setting in its place. */
export function requireValue(command: Pick<Command, 'options'>, given: Given, name: string): string {
  const value = given.value(name);
  if (value !== undefined && value !== '') return value;
  const setting = command.options?.find(option => option.name === name)?.setting;
  throw new UsageError(`--${name} is missing${setting === undefined ? '' : ` (or ${setting})`}.`);
}

/** The same of a secret that goes into a header. Never quoted. */
export function requireSecret(command: Pick<Command, 'options'>, given: Given, name: string): string {
  const value = requireValue(command, given, name);
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new UsageError(`--${name} must be one word, without blanks or line breaks.`);
}
