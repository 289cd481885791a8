import type { SourceScheme } from '@sluice/contract/dashboard-providers';
import { type Preset, signedBy } from '../verification/preset.ts';
import type { HmacScheme } from '../verification/scheme.ts';

/** A scheme of one's own, in the place of a preset. */
export const customPreset = (scheme: SourceScheme): Preset => ({
  name: 'custom',
  title: 'Custom',
  steps: [],
  documentation: '',
  fields: {},
  signature: '',
  ...signedBy(toHmacScheme(scheme)),
});

const toHmacScheme = ({ timestamp_header, tolerance_s, ...scheme }: SourceScheme): HmacScheme => ({
  header: scheme.header,
  algorithm: scheme.algorithm,
  encoding: scheme.encoding,
  prefix: scheme.prefix,
  signed: scheme.signed,
  format: scheme.format,
  timestampHeader: timestamp_header,
  toleranceS: tolerance_s,
});
