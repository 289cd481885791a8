import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { keyCheckValues } from '../core/secrets/key-check.ts';
import { readSecretKeys, secretKeyFile } from '../runtime/secret-key.ts';
import { keySourceOf, type Settings } from '../settings.ts';
import { copyBeside, finishMove } from '../storage/move/move.ts';
import type { Pass } from '../storage/move/pass.ts';
import { databaseFile } from '../storage/sqlite/engine.ts';
import { lookAtLock } from '../storage/sqlite/lock.ts';
import { type Command, type Given, report, UsageError } from './command.ts';
import { requireValue } from './read-arguments.ts';
import type { Terminal } from './terminal.ts';

/** `sluice move`: carries everything from the embedded database to PostgreSQL. */
export const move: Command = {
  name: 'move',
  summary: 'Move everything from the embedded database to PostgreSQL.',
  about: [
    'Without --finish it copies while the service runs, compares until little changes any more, and says what to do next. With --finish, once the service is stopped, it carries what has changed since, checks every table by count and checksum on both sides, and only then lets a service run on the target.',
    'If it is interrupted, run it again to continue where it left off. The source database is only read; after the finish, a service refuses to start on it. The secret key is not copied: the new service needs it as SLUICE_SECRET_KEY.',
  ],
  options: [
    {
      name: 'to',
      value: 'URL',
      meaning: 'An empty database: postgres://user:password@host/name.',
      setting: 'SLUICE_DATABASE_URL',
    },
    { name: 'finish', meaning: 'Once the service is stopped: copy the rest, check, and finish the move.' },
  ],
  exits: {
    0: 'copied, or with --finish moved and checked',
    1: 'it failed, and says why; run it again to continue',
  },
  examples: ['move --to postgres://sluice:secret@db.example.com/sluice', 'move --finish'],

  async run(given, { settings, terminal }) {
    const url = requireValue(move, given, 'to');
    if (!/^postgres(ql)?:\/\//.test(url)) throw new UsageError('--to must begin with postgres://.');
    const directory = resolve(settings.SLUICE_DATA_DIR);
    // A lock would be made where there is none.
    if (!existsSync(databaseFile(directory))) {
      terminal.complain(`There is no database in ${directory}. Is SLUICE_DATA_DIR right?`);
      return 1;
    }
    const isFinish = given.has('finish');
    if (isFinish && lookAtLock(directory).inUse) {
      terminal.complain(`A service is running on ${directory}. Stop it, then run this again.`);
      return 1;
    }
    const pass = await (isFinish ? finishMove : copyBeside)({
      directory,
      url,
      replicas: settings.SLUICE_REQUIRE_REPLICAS,
      keyChecks: keyChecksOf(settings),
      onProgress: terminal.progress,
      onAway: createAwayNotice(terminal),
    });
    terminal.progress('');
    (isFinish ? tellOfFinish : tellOfCopy)(pass, given, terminal, keyToGive(settings, directory));
    return 0;
  },
};

/** Once for each reason: it is tried every second. */
function createAwayNotice(terminal: Terminal): (reason: string) => void {
  let last = '';
  return reason => {
    if (reason !== last) terminal.complain(`The target is unavailable, retrying: ${reason}`);
    last = reason;
  };
}

function keyChecksOf(settings: Settings): string[] {
  const keys = readSecretKeys(keySourceOf(settings));
  return keys === null ? [] : keyCheckValues(keys);
}

const keyToGive = (settings: Settings, directory: string): string =>
  settings.SLUICE_SECRET_KEY === undefined
    ? `the contents of ${secretKeyFile(directory)}`
    : 'its current value';

const count = (n: number): string => n.toLocaleString('en');

function tellOfCopy({ rows, changed, tables }: Pass, given: Given, terminal: Terminal): void {
  report(given, terminal, { finished: false, rows, changed, tables: tables.length }, [
    `${count(rows)} rows of ${tables.length} tables are in the target; ${count(changed)} of them had changed when they were compared last.`,
    'Now stop the service, and run the same command with --finish.',
  ]);
}

function tellOfFinish(
  { rows, changed, tables }: Pass,
  given: Given,
  terminal: Terminal,
  secretKey: string,
): void {
  const checked = tables.map(({ name, count, checksum }) => ({
    table: name,
    rows: count,
    checksum: BigInt.asUintN(64, checksum).toString(16).padStart(16, '0'),
  }));
  report(given, terminal, { finished: true, rows, changed, tables: checked }, [
    ...checked.map(
      ({ table, rows, checksum }) => `  ${table.padEnd(24)} ${count(rows).padStart(14)}  ${checksum}`,
    ),
    `${count(rows)} rows of ${tables.length} tables match on both sides, by count and checksum; ${count(changed)} were copied in this last step.`,
    `Start the service with SLUICE_DATABASE_URL set to the target, and SLUICE_SECRET_KEY to ${secretKey}.`,
  ]);
}
