import type { Detector, Span } from './detector.ts';

const LONGEST_LOCAL = 64;
const LONGEST_DOMAIN = 253;

/** As addresses are in fact: the rest that the standard allows would swallow the URL around one. */
const LOCAL = /[\p{L}\p{N}._%+'-]/u;
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+(?:xn--[a-z0-9-]{2,59}|\p{L}{2,63})(?![\p{L}\p{N}])/u;
/** `icon@2x.png` is a picture. */
const PICTURE = /^\dx\.(?:png|jpe?g|gif|webp|svg)$/i;

/** A look back over a local part, and one ahead over a domain. */
const STEPS_A_LOOK = 8;

/** Looks around every at sign, no further than an address can reach. */
export const emailDetector: Detector = {
  mayFind: ({ ats, dots }) => ats > 0 && dots > 0,
  find(text, budget) {
    const spans: Span[] = [];
    let from = 0;
    for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
      budget.spend(STEPS_A_LOOK);
      const start = localStart(text, at, from);
      const domain = start === at ? undefined : DOMAIN.exec(text.slice(at + 1, at + 2 + LONGEST_DOMAIN))?.[0];
      if (domain === undefined || PICTURE.test(domain)) continue;
      from = at + 1 + domain.length;
      spans.push({ start, end: from });
    }
    return spans;
  },
  normalise: found => found.toLowerCase(),
};

function localStart(text: string, at: number, from: number): number {
  const limit = Math.max(from, at - LONGEST_LOCAL);
  let start = at;
  while (start > limit && LOCAL.test(text.charAt(start - 1))) start--;
  // Quotes, dots and hyphens in front belong to the sentence.
  while (start < at && /[.'%+-]/.test(text.charAt(start))) start++;
  return text.charAt(at - 1) === '.' ? at : start;
}
