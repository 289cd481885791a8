import { readFileSync } from 'node:fs';
import { readArguments } from '../../src/command/read-arguments.ts';
import { createServe } from '../../src/command/serve.ts';
import { createSystemTerminal } from '../../src/command/terminal.ts';
import { startService } from '../../src/compose/service.ts';
import { createPasswords } from '../../src/runtime/passwords.ts';
import { liftRequestLimit } from '../../src/runtime/request-limit.ts';
import { readSettings } from '../../src/settings.ts';

/**
 * `sluice serve`, with a clock that can be made to jump: the number of milliseconds in the file that is named first
 * is added to the real time, and SIGUSR2 has it read again. Passwords cost little besides; nothing else differs.
 */
const [, , clockFile = ''] = process.argv;
const readOffset = () => Number(readFileSync(clockFile, 'utf8')) || 0;
let offset = readOffset();
process.on('SIGUSR2', () => {
  offset = readOffset();
});

const serve = createServe((settings, options) =>
  startService(settings, {
    ...options,
    clock: { now: () => Date.now() + offset },
    passwords: createPasswords({ memoryCost: 8, timeCost: 1 }),
  }),
);
process.umask(0o077);
liftRequestLimit();
const settings = readSettings();
const given = readArguments(serve, [], settings);
process.exit(await serve.run(given, { settings, terminal: createSystemTerminal() }));
