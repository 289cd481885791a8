import type { TypeFrom } from '@sluice/contract/dashboard-providers';

/** Where a webhook event has its type from, as it stands in the form; empty is left out. */
export interface TypeFromDraft {
  /** `usual`: as its provider names it, else the body's `type`. */
  readonly from: 'usual' | 'header' | 'path';
  /** The header, or the path into the body. */
  readonly place: string;
  readonly prefix: string;
  /** Another path, whose value is appended after a dot. */
  readonly appended: string;
}

export const usualType: TypeFromDraft = { from: 'usual', place: '', prefix: '', appended: '' };

export function typeDraftOf(rule: TypeFrom | undefined): TypeFromDraft {
  if (rule === undefined) return usualType;
  const { prefix = '', then: appended = '' } = rule;
  return 'header' in rule
    ? { from: 'header', place: rule.header, prefix, appended }
    : { from: 'path', place: rule.path, prefix, appended };
}

/** As the server takes it; null is the usual. */
export function givenTypeFrom({ from, place, prefix, appended }: TypeFromDraft): TypeFrom | null {
  if (from === 'usual') return null;
  // biome-ignore lint/suspicious/noThenProperty: the name on the wire; a text there makes no promise of an object.
  const then = appended === '' ? {} : { then: appended };
  const more = { ...(prefix === '' ? {} : { prefix }), ...then };
  return from === 'header' ? { header: place.trim(), ...more } : { path: place.trim(), ...more };
}

/** `the header x-acme-event, after “acme.”, then payload.action` */
export function describeType(rule: TypeFrom): string {
  const place = 'header' in rule ? `the header ${rule.header}` : rule.path;
  const prefix = rule.prefix ? `, after “${rule.prefix}”` : '';
  return `${place}${prefix}${rule.then ? `, then ${rule.then}` : ''}`;
}
