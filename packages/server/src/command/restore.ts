import { resolve } from 'node:path';
import { secretKeyFile } from '../runtime/secret-key.ts';
import { capabilitiesOf } from '../storage/open.ts';
import { restoreSqlite } from '../storage/sqlite/restore.ts';
import { type Command, report, UsageError } from './command.ts';

/** `sluice restore`: puts a backup in the place of the embedded database. */
export const restore: Command = {
  name: 'restore',
  summary: 'Replace the embedded database with a backup, while no service runs on it.',
  about: [
    'The backup is copied and checked before anything is touched. A database that is there already is set aside, and only with --force. The secret key that belongs to the backup must be in the data directory, or in SLUICE_SECRET_KEY, when the service starts.',
    'Events in PostgreSQL are restored with pg_restore or psql.',
  ],
  argument: {
    name: 'file',
    meaning: 'A file that sluice backup has created.',
    isRequired: true,
    isFile: true,
  },
  options: [{ name: 'force', meaning: 'Replace an existing database, which is set aside.' }],
  exits: { 0: 'the backup is in place', 1: 'nothing was changed, and it says why' },
  examples: ['restore /backups/sluice.db', 'restore /backups/sluice.db --force'],

  async run(given, { settings, terminal }) {
    if (!capabilitiesOf(settings.SLUICE_DATABASE_URL).canBackUp) {
      throw new UsageError(
        'The events are in PostgreSQL: restore it with pg_restore or psql from what pg_dump made.',
      );
    }
    const directory = resolve(settings.SLUICE_DATA_DIR);
    const backup = resolve(given.argument ?? '');
    const { events, setAside } = restoreSqlite(directory, backup, {
      replace: given.has('force'),
      now: new Date(),
    });
    const key = settings.SLUICE_SECRET_KEY === undefined ? secretKeyFile(directory) : 'SLUICE_SECRET_KEY';
    report(given, terminal, { directory, events, set_aside: setAside, secret_key: key }, [
      `${directory} holds the ${events} events and all configuration of ${backup}.`,
      ...(setAside === null ? [] : [`What was there before is in ${setAside}.`]),
      `It needs the secret key from when it was taken: make sure ${key} is that key before you start the service.`,
    ]);
    return 0;
  },
};
