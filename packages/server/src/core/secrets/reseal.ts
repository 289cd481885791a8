import type { SealedRecord, SealedSort } from '../stores/configuration/sealed.ts';
import type { ConfigurationStore } from '../stores/configuration.ts';
import type { Vault } from './vault.ts';

/**
 * Sealing everything again with the current key, in the present format. A record at a time stays as it is or has all
 * of its secrets sealed again, and either opens for whoever has both keys: so it may end at any moment, and whoever
 * comes next goes on with what is left.
 */
interface ResealReport {
  readonly resealed: number;
  /** Sealed with an earlier key or in an earlier format. */
  readonly left: number;
  /** What no key at hand opens: `destination dst_… (config.url)`. */
  readonly unreadable: readonly string[];
  /** False where it was told to stop before it had seen everything. */
  readonly complete: boolean;
}

/** Of a whole storage. */
export interface StorageResealReport extends ResealReport {
  /** The current key is the only one on record as one that seals: whoever has it alone can start. */
  readonly settled: boolean;
}

/** The texts of a record with each sealed one in them replaced, which is named by its field. */
export type ResealTexts = (
  record: SealedRecord,
  reseal: (sealed: string, field: string) => string,
) => SealedRecord['texts'];

interface ResealOptions {
  readonly configuration: Pick<ConfigurationStore, 'listSealed' | 'replaceSealed'>;
  readonly vault: Pick<Vault, 'seal' | 'open' | 'isUpToDate'>;
  /** By whoever knows where the secrets of such a record are. */
  readonly texts: Readonly<Record<SealedSort, ResealTexts>>;
  /** Only counts what is left. */
  readonly checkOnly: boolean;
  pause(): Promise<unknown>;
  isStopping(): boolean;
}

/** Each lot is one transaction, and short: others write in between. */
const RECORDS_AT_ONCE = 50;
/** What somebody changed at the same moment is met again in the next pass. */
const MOST_PASSES = 5;

const sorts: readonly SealedSort[] = ['source', 'destination', 'pipeline', 'second_factor'];

export async function reseal(options: ResealOptions): Promise<ResealReport> {
  let report = await onePass(options);
  for (let pass = 1; pass < MOST_PASSES && mayGoOn(report, options); pass++) {
    const next = await onePass(options);
    report = { ...next, resealed: report.resealed + next.resealed };
  }
  return report;
}

const mayGoOn = ({ left, complete }: ResealReport, { checkOnly }: ResealOptions): boolean =>
  left > 0 && complete && !checkOnly;

async function onePass(options: ResealOptions): Promise<ResealReport> {
  const { configuration, checkOnly } = options;
  const unreadable: string[] = [];
  let resealed = 0;
  let left = 0;
  for (const sort of sorts) {
    for (let after: SealedRecord | null = null; ; ) {
      if (options.isStopping()) return { resealed, left, unreadable, complete: false };
      const records: SealedRecord[] = await configuration.listSealed(sort, after, RECORDS_AT_ONCE);
      after = records.at(-1) ?? null;
      if (after === null) break;
      const sealedAgain = records.map(record => sealAgain(record, options));
      unreadable.push(...sealedAgain.flatMap(one => one.unreadable));
      const stale = sealedAgain.filter(({ values }) => values > 0);
      const done = checkOnly || stale.length === 0 ? [] : await configuration.replaceSealed(stale);
      for (const [i, { values }] of stale.entries()) {
        if (done[i]) resealed += values;
        else left += values;
      }
      await options.pause();
    }
  }
  return { resealed, left, unreadable, complete: true };
}

/** The record's texts as they are to be, and how many secrets in them had to be sealed again. */
function sealAgain(record: SealedRecord, { vault, texts }: ResealOptions) {
  const { sort, orgId, id } = record;
  const unreadable: string[] = [];
  let values = 0;
  const again = (sealed: string, field: string): string => {
    if (vault.isUpToDate(sealed)) return sealed;
    const place = { orgId, id, field };
    try {
      const sealedAgain = vault.seal(vault.open(sealed, place), place);
      values++;
      return sealedAgain;
    } catch {
      unreadable.push(`${sort} ${id} (${field})`);
      return sealed;
    }
  };
  try {
    const changed = texts[sort](record, again);
    return { record, texts: changed, values, unreadable };
  } catch {
    // Damaged as a whole: nobody can tell what was sealed in it.
    return { record, texts: record.texts, values: 0, unreadable: [`${sort} ${id}`] };
  }
}
