import { UsageError, WRONG_USAGE } from './command/command.ts';
import { createCommands } from './command/commands.ts';
import { explain } from './command/explain.ts';
import { helpOf, helpText, usageOf } from './command/help.ts';
import { readArguments } from './command/read-arguments.ts';
import { createSystemTerminal } from './command/terminal.ts';
import { liftRequestLimit } from './runtime/request-limit.ts';
import { readSettings } from './settings.ts';

/** The `sluice` command. */
const terminal = createSystemTerminal();
const commands = createCommands({
  // The service is most of what there is to load; no other command waits for it.
  startService: async (...args) => (await import('./compose/service.ts')).startService(...args),
  resealStorage: async (...args) => (await import('./compose/reseal.ts')).resealStorage(...args),
  openApiDocument: async settings => (await import('./compose/openapi.ts')).openApiDocument(settings),
});

const findCommand = (name: string) => commands.find(command => command.name === name);

async function run([name = 'help', ...args]: readonly string[]): Promise<number> {
  const isHelp = /^(help|--help|-h)$/.test(name);
  const word = isHelp ? args[0] : name;
  if (word === undefined) {
    terminal.say(helpText(commands));
    return 0;
  }
  const command = findCommand(word);
  if (command === undefined) {
    terminal.complain(`There is no command "${word}". Try: sluice help`);
    return WRONG_USAGE;
  }
  if (isHelp || args.includes('--help')) {
    terminal.say(helpOf(command));
    return 0;
  }
  try {
    const settings = readSettings();
    return await command.run(readArguments(command, args, settings), { settings, terminal });
  } catch (error) {
    terminal.complain(explain(error));
    if (!(error instanceof UsageError)) return 1;
    terminal.complain(`Usage: sluice ${usageOf(command)}. See: sluice help ${word}`);
    return WRONG_USAGE;
  }
}

// Whatever it makes, a database, a backup, a socket, is for nobody else to read.
process.umask(0o077);
if (process.argv[2] === 'serve') liftRequestLimit();
process.exit(await run(process.argv.slice(2)));
