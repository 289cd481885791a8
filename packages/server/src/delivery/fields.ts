import { z } from 'zod';

/** Fields that several kinds of destination ask for. */

export const urlField = z
  .string()
  .max(4_096)
  .refine(text => URL.canParse(text), 'must be a URL such as https://example.com/hook.');

/** A secret that goes into a header: nothing in it can end the header. */
export const tokenField = z
  .string()
  .max(4_096)
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable ASCII, without blanks at its ends.');

/** The address of a vendor's API, for servers that are compatible with it. */
export const baseUrlField = (vendor: string) =>
  urlField.optional().meta({ title: 'API address', examples: [vendor] });

export const joinUrl = (base: string, path: string): string => `${base.replace(/\/+$/, '')}${path}`;
