import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../core/errors.ts';

/**
 * Puts another file in the place of a database, which is set aside with its journals. A journal that stayed would be
 * played into whatever database has its name next, so the journals go first, and also where their database is missing.
 * A database without its journal has lost its last commits, so a note says what is being moved: where the process was
 * killed in between, the next one gives the journals back.
 */
const JOURNALS = ['-wal', '-shm', '-journal'];

const noteOf = (file: string): string => `${file}.replacing`;

interface Note {
  readonly aside: string;
  readonly database: string;
}

/**
 * Returns where what was there is now; null where nothing was. All of it happens, `afterwards` too, or all of it is
 * undone.
 */
export function replaceDatabase(
  file: string,
  replacement: string,
  options: { readonly now: Date; afterwards(): void },
): string | null {
  const aside = `${file}.before-${options.now.toISOString().replace(/[:.]/g, '-')}`;
  const moved: { from: string; to: string }[] = [];
  const move = (from: string, to: string) => {
    renameSync(from, to);
    moved.push({ from, to });
  };
  const note: Note = { aside, database: identityOf(file) };
  try {
    writeFileSync(noteOf(file), JSON.stringify(note), { mode: 0o600 });
    flushToDisk(noteOf(file));
    flushToDisk(dirname(file));
    for (const kind of JOURNALS) if (existsSync(`${file}${kind}`)) move(`${file}${kind}`, `${aside}${kind}`);
    // No power cut may leave a journal where its database is gone.
    flushToDisk(dirname(file));
    if (existsSync(file)) move(file, aside);
    const setAside = moved.at(-1)?.to ?? null;
    move(replacement, file);
    flushToDisk(dirname(file));
    options.afterwards();
    rmSync(noteOf(file), { force: true });
    return setAside;
  } catch (error) {
    undo(moved, error);
    rmSync(noteOf(file), { force: true });
    throw error;
  }
}

/** Gives its journals back to a database, where a replacement was cut short after it had moved them. */
export function undoCutReplacement(file: string): void {
  if (!existsSync(noteOf(file))) return;
  const note = readNote(file);
  // One that was put there by hand meanwhile is another, whose journals these are not.
  if (note !== null && note.database !== '' && note.database === identityOf(file)) {
    for (const kind of JOURNALS) {
      if (existsSync(`${note.aside}${kind}`)) renameSync(`${note.aside}${kind}`, `${file}${kind}`);
    }
    flushToDisk(dirname(file));
  }
  rmSync(noteOf(file));
}

/** Null where it was not written to its end: then nothing had been moved. */
function readNote(file: string): Note | null {
  try {
    return JSON.parse(readFileSync(noteOf(file), 'utf8')) as Note;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Changes with every write. Empty where there is none. */
function identityOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.size} ${found.mtimeNs}`;
}

function undo(moved: readonly { readonly from: string; readonly to: string }[], reason: unknown): void {
  const stuck: string[] = [];
  for (const { from, to } of moved.toReversed()) {
    try {
      renameSync(to, from);
    } catch (error) {
      stuck.push(`${to} was ${from} (${messageOf(error)})`);
    }
  }
  if (stuck.length === 0) return;
  throw new Error(
    `${messageOf(reason)}. Not all of it could be undone; move these back by hand: ${stuck.join(', ')}.`,
  );
}

export function flushToDisk(path: string): void {
  const opened = openSync(path, 'r');
  fsyncSync(opened);
  closeSync(opened);
}
