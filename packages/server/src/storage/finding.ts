import { migrations } from './migrations/index.ts';

/** What `sluice doctor` found out about one matter, in a sentence for whoever runs the service. */
export interface Finding {
  readonly ok: boolean;
  readonly matter: string;
  readonly says: string;
}

export const good = (matter: string, says: string): Finding => ({ ok: true, matter, says });
export const bad = (matter: string, says: string): Finding => ({ ok: false, matter, says });

/** Whether what the key in use yields is what the database keeps; both are null where there is none yet. */
export function judgeKey(kept: string | null, yielded: string | null): Finding {
  if (kept === null) return good('secret key', 'the database has sealed nothing yet');
  if (yielded === null)
    return bad('secret key', 'there is none, and the database has secrets sealed with one');
  return kept === yielded
    ? good('secret key', 'opens what is sealed in the database')
    : bad('secret key', 'is not the one that the database was sealed with');
}

export function judgeSchema(found: number): Finding {
  const known = migrations.length;
  if (found > known) return bad('schema', `${found}, written by a newer Sluice; this one knows ${known}`);
  return good('schema', found === known ? `${found}` : `${found}; the next start brings it to ${known}`);
}
