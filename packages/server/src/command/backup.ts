import { resolve } from 'node:path';
import { secretKeyFile } from '../runtime/secret-key.ts';
import { capabilitiesOf } from '../storage/open.ts';
import { backUpSqlite } from '../storage/sqlite/backup.ts';
import { type Command, report, UsageError } from './command.ts';

/** `sluice backup`: copies the embedded database. */
export const backup: Command = {
  name: 'backup',
  summary: 'Copy the embedded database, while the service runs or not.',
  about: [
    'The copy is the database as it was at one moment; the service keeps running. It appears under its name only once it is complete, checked and on disk. The secret key is not included.',
    'Events in PostgreSQL are backed up with pg_dump.',
  ],
  argument: { name: 'file', meaning: 'Where to; it must not exist yet.', isRequired: true, isFile: true },
  exits: { 0: 'the backup was created', 1: 'it could not be created' },
  examples: ['backup /backups/sluice.db'],

  async run(given, { settings, terminal }) {
    const { argument: file = '' } = given;
    if (!capabilitiesOf(settings.SLUICE_DATABASE_URL).canBackUp) {
      throw new UsageError(
        'The events are in PostgreSQL: back it up with pg_dump, and keep SLUICE_SECRET_KEY apart from it.',
      );
    }
    const directory = resolve(settings.SLUICE_DATA_DIR);
    const target = resolve(file);
    const { events } = backUpSqlite(directory, target);
    const key = settings.SLUICE_SECRET_KEY === undefined ? secretKeyFile(directory) : 'SLUICE_SECRET_KEY';
    report(given, terminal, { file: target, events, secret_key: key }, [
      `${target} holds ${events} events and all configuration.`,
      `The secret key is not included, and without it no sealed secret can be opened. Store ${key} separately from the backup.`,
    ]);
    return 0;
  },
};
