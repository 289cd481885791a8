import { resolve } from 'node:path';
import { secretKeyFile } from '../runtime/secret-key.ts';
import { capabilitiesOf } from '../storage/open.ts';
import { backUpSqlite } from '../storage/sqlite/backup.ts';
import type { Command } from './command.ts';

/** `sluice backup`: copies the embedded database. */
export const backup: Command = {
  usage: 'backup <file>',
  summary: 'Copy the embedded database, while the service runs or not.',

  async run([file], { settings, terminal }) {
    if (file === undefined) {
      terminal.complain('Where to? sluice backup <file>');
      return 2;
    }
    if (!capabilitiesOf(settings.SLUICE_DATABASE_URL).canBackUp) {
      terminal.complain(
        'The events are in PostgreSQL: back it up with pg_dump, and keep SLUICE_SECRET_KEY apart from it.',
      );
      return 2;
    }
    const directory = resolve(settings.SLUICE_DATA_DIR);
    const target = resolve(file);
    const { events } = backUpSqlite(directory, target);
    terminal.say(`${target} holds ${events} events and all configuration.`);
    terminal.say(
      `The secret key is not inside: without it no sealed secret can be opened again. Keep ${
        settings.SLUICE_SECRET_KEY === undefined ? secretKeyFile(directory) : 'SLUICE_SECRET_KEY'
      } apart from the backup.`,
    );
    return 0;
  },
};
