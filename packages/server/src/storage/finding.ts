import { compareKeys } from '../core/secrets/key-check.ts';
import { migrations, onlyAdding } from './migrations/index.ts';

/** What `sluice doctor` found out about one matter, in a sentence for whoever runs the service. */
export interface Finding {
  readonly ok: boolean;
  readonly matter: string;
  readonly says: string;
}

export const good = (matter: string, says: string): Finding => ({ ok: true, matter, says });
export const bad = (matter: string, says: string): Finding => ({ ok: false, matter, says });

/** Whether what the keys in use yield is what the database keeps, which is null where there is nothing yet. */
export function judgeKey(kept: string | null, yielded: readonly string[]): Finding {
  if (kept === null) return good('secret key', 'the database has sealed nothing yet');
  if (yielded.length === 0)
    return bad('secret key', 'there is none, and the database has secrets sealed with one');
  const state = compareKeys(kept, yielded);
  if (state === 'other keys') return bad('secret key', 'is not the one that the database was sealed with');
  if (state === 'one is missing') {
    return bad('secret key', 'is being changed: give the other one too, as SLUICE_SECRET_KEY_PREVIOUS');
  }
  if (yielded.length === 1) return good('secret key', 'opens what is sealed in the database');
  return good(
    'secret key',
    state === 'being changed'
      ? 'is being changed; sluice reseal --check says what is left for the previous one to open'
      : 'opens what is sealed in the database; the previous one seals nothing: keep it if you are starting a key change, remove it if the change is finished',
  );
}

/** Where nodes share the database, whoever upgrades has to know whether those of before may go on. */
export function judgeSchema(
  found: number,
  { isUnderstood = found <= migrations.length, isShared = false } = {},
): Finding {
  const known = migrations.length;
  if (!isUnderstood) return bad('schema', `${found}, written by a newer Sluice; this one knows ${known}`);
  if (found > known) {
    return good('schema', `${found}, written by a newer Sluice that only adds to the ${known} of this one`);
  }
  if (found === known) return good('schema', `${found}`);
  const next = `${found}; the next start brings it to ${known}`;
  if (!isShared) return good('schema', next);
  const adds = migrations.slice(found).every(migration => onlyAdding.has(migration));
  return good(
    'schema',
    adds ? `${next}, beside nodes of the version before` : `${next}: stop all nodes before that`,
  );
}
