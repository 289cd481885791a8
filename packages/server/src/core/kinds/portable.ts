/** Secrets of a configuration that came out of a file, which only says where they belong. */
export interface PortableSecrets {
  /** Where the file says that a secret belongs. */
  readonly marks: readonly string[];
  /** Those of them that are not here either, and have to be entered. */
  readonly missing: readonly MissingField[];
}

export interface MissingField {
  /** `config.auth.secret`, `steps[0].config.model.api_key`. */
  readonly path: string;
  /** Left out, one is made. */
  readonly canBeMade: boolean;
}
