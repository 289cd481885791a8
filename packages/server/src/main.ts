import { backup } from './command/backup.ts';
import type { Command } from './command/command.ts';
import { doctor } from './command/doctor.ts';
import { explain } from './command/explain.ts';
import { helpText } from './command/help.ts';
import { createReseal } from './command/reseal.ts';
import { resetPassword } from './command/reset-password.ts';
import { createServe } from './command/serve.ts';
import { systemTerminal as terminal } from './command/terminal.ts';
import { liftRequestLimit } from './runtime/request-limit.ts';
import { readSettings } from './settings.ts';

/** The `sluice` command. */
const commands = new Map<string, Command>([
  // The service is most of what there is to load; no other command waits for it.
  ['serve', createServe(async (...args) => (await import('./compose/service.ts')).startService(...args))],
  ['backup', backup],
  ['doctor', doctor],
  ['reset-password', resetPassword],
  ['reseal', createReseal(async (...args) => (await import('./compose/reseal.ts')).resealStorage(...args))],
]);

async function run([name = 'help', ...args]: readonly string[]): Promise<number> {
  if (/^(help|--help|-h)$/.test(name)) {
    terminal.say(helpText([...commands.values()]));
    return 0;
  }
  const command = commands.get(name);
  if (command === undefined) {
    terminal.complain(`There is no command "${name}". Try: sluice help`);
    return 2;
  }
  try {
    return await command.run(args, { settings: readSettings(), terminal });
  } catch (error) {
    terminal.complain(explain(error));
    return 1;
  }
}

// Whatever it makes, a database, a backup, a socket, is for nobody else to read.
process.umask(0o077);
if (process.argv[2] === 'serve') liftRequestLimit();
process.exit(await run(process.argv.slice(2)));
