import type { Json } from './json.ts';

/**
 * How large a value is, before anybody writes it out. References share what they take, so that a few lines of
 * configuration could make a value of terabytes at no cost until then.
 */
export interface JsonLimits {
  /** About the characters of its JSON text. */
  readonly size: number;
  readonly nesting: number;
}

type Measured =
  | { readonly kind: 'measured'; readonly size: number }
  | { readonly kind: 'too_large' | 'too_deep' };

const TOO_LARGE: Measured = { kind: 'too_large' };
const TOO_DEEP: Measured = { kind: 'too_deep' };

/** Stops as soon as a limit is passed. */
export function measureJson(value: Json, limits: JsonLimits): Measured {
  const meter = { size: 0, limit: limits.size };
  const verdict = measure(value, limits.nesting, meter);
  if (verdict === 'within') return { kind: 'measured', size: meter.size };
  return verdict === 'too_large' ? TOO_LARGE : TOO_DEEP;
}

type Verdict = 'within' | 'too_large' | 'too_deep';

const PUNCTUATION = 4;

function measure(value: Json, levels: number, meter: { size: number; readonly limit: number }): Verdict {
  if (typeof value === 'string') meter.size += value.length + PUNCTUATION;
  else if (typeof value !== 'object' || value === null) meter.size += 8;
  else if (levels === 0) return 'too_deep';
  else if (Array.isArray(value)) {
    meter.size += PUNCTUATION;
    for (const item of value) {
      const verdict = measure(item, levels - 1, meter);
      if (verdict !== 'within') return verdict;
    }
  } else {
    meter.size += PUNCTUATION;
    for (const key in value) {
      meter.size += key.length + PUNCTUATION;
      const verdict = measure(value[key] as Json, levels - 1, meter);
      if (verdict !== 'within') return verdict;
    }
  }
  return meter.size > meter.limit ? 'too_large' : 'within';
}
