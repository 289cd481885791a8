import type { SourceScheme } from '@sluice/contract/dashboard-providers';

/** A scheme of one's own as it stands in the form; empty is left out. */
export interface SchemeDraft {
  readonly header: string;
  readonly algorithm: SourceScheme['algorithm'];
  readonly encoding: SourceScheme['encoding'];
  readonly prefix: string;
  readonly signed: string;
  readonly timestamp_header: string;
  readonly format: string;
  /** Seconds. */
  readonly tolerance_s: string;
  readonly url: string;
  readonly secret: string;
}

export const usualScheme: SchemeDraft = {
  header: '',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: '',
  signed: '{body}',
  timestamp_header: '',
  format: '',
  tolerance_s: '',
  url: '',
  secret: '',
};

export const schemeDraftOf = (scheme: SourceScheme | undefined): SchemeDraft =>
  scheme === undefined
    ? usualScheme
    : { ...usualScheme, ...scheme, tolerance_s: String(scheme.tolerance_s ?? '') };

/** As the server takes it. A number that is none is left to it to refuse. */
export function givenScheme({ secret, tolerance_s, ...draft }: SchemeDraft) {
  const { header, algorithm, encoding, signed, ...others } = draft;
  const filled = Object.entries(others).filter(([, value]) => value !== '');
  return {
    scheme: {
      header,
      algorithm,
      encoding,
      signed,
      ...Object.fromEntries(filled),
      ...(tolerance_s.trim() === '' ? {} : { tolerance_s: Number(tolerance_s) }),
    },
    ...(secret.trim() === '' ? {} : { secret }),
  };
}
