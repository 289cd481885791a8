import { z } from 'zod';

/** Private calls about the configuration as a file: sources, destinations and pipelines as one YAML document. */

/** As many characters as a file may have. */
export const MOST_DOCUMENT_LENGTH = 512 * 1024;
const MOST_SECRETS = 1_000;

const document = z
  .string()
  .min(1, 'must not be empty.')
  .max(MOST_DOCUMENT_LENGTH, `may have at most ${MOST_DOCUMENT_LENGTH} characters.`);

/** The configuration as it is now. */
export interface ConfigurationFile {
  readonly document: string;
}

/** What is not in the file is removed only where that is asked for. */
export const configurationDifferenceBody = z.strictObject({ document, remove: z.boolean().default(false) });

export const configurationApplyBody = z.strictObject({
  document,
  remove: z.boolean().default(false),
  /** Of the difference that was shown: what has changed since is not overwritten. */
  base: z.string().max(128),
  /** Those that the difference asked for, each by the path that it was asked for with. */
  secrets: z
    .array(
      z.strictObject({
        path: z.string().max(2_048),
        value: z.string().min(1, 'must not be empty.').max(65_536, 'may have at most 65536 characters.'),
      }),
    )
    .max(MOST_SECRETS, `may hold at most ${MOST_SECRETS} secrets.`)
    .default([]),
});

export type ConfigurationSort = 'source' | 'destination' | 'pipeline';

/** One source, destination or pipeline of the file, or of the organisation where the file does not have it. */
export interface ConfigurationItem {
  readonly sort: ConfigurationSort;
  /** The name, with a number where several have the same. */
  readonly key: string;
  /** Null where it does not exist yet. */
  readonly id: string | null;
  /** `absent`: the file does not have it, and it stays as it is. */
  readonly change: 'created' | 'changed' | 'unchanged' | 'removed' | 'absent';
  /** Of one that is changed: each field, before and after; null where there is none. No secrets. */
  readonly fields: readonly {
    readonly path: string;
    readonly before: unknown;
    readonly after: unknown;
  }[];
}

/** What is wrong with a file, and where. */
export interface ConfigurationProblem {
  readonly line: number | null;
  readonly path: string;
  readonly message: string;
}

/** A secret that is not in the file and not here either. */
export interface MissingSecret {
  readonly path: string;
  readonly sort: ConfigurationSort;
  readonly key: string;
  /** Within that: `config.auth.secret`. */
  readonly field: string;
  /** Left out, one is made and shown once. */
  readonly can_be_made: boolean;
}

export interface ConfigurationDifference {
  /** Stands for the file and the configuration that were compared. */
  readonly base: string;
  /** With any of these, nothing can be applied. */
  readonly problems: readonly ConfigurationProblem[];
  readonly items: readonly ConfigurationItem[];
  readonly secrets: readonly MissingSecret[];
}

export interface AppliedConfiguration {
  readonly created: number;
  readonly changed: number;
  readonly removed: number;
  /** Secrets that were made because nobody gave them: answered this once. */
  readonly made: readonly {
    readonly sort: ConfigurationSort;
    readonly key: string;
    readonly id: string;
    readonly field: string;
    readonly secret: string;
  }[];
}
