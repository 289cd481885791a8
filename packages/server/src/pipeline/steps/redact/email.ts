import type { Detector, Span } from './detector.ts';

const LONGEST_LOCAL = 64;
const LONGEST_DOMAIN = 253;

/** As addresses are in fact: the rest that the standard allows would swallow the URL around one. */
const LOCAL = /[\p{L}\p{N}._%+'~=-]/u;
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+(?:(?:xn--[a-z0-9-]{2,59}|[A-Za-z]{2,63})(?![\w\u00c0-\u024f])|\p{L}{2,63}(?![\p{L}\p{N}]))/u;
/** `icon@2x.png` is a picture. */
const PICTURE = /^\dx\.(?:png|jpe?g|gif|webp|svg)$/i;

/** As URLs write it. */
const ESCAPED_AT = '%40';

/** A look back over a local part, and one ahead over a domain. */
const STEPS_A_LOOK = 8;

/** Looks around every at sign, no further than an address can reach. */
export const emailDetector: Detector = {
  mayFind: ({ ats, dots }) => ats > 0 && dots > 0,
  find(text, budget) {
    const spans: Span[] = [];
    let from = 0;
    const look = (at: number, after: number) => {
      budget.spend(STEPS_A_LOOK);
      if (at < from) return;
      const start = localStart(text, at, from);
      const domain =
        start === at ? undefined : DOMAIN.exec(text.slice(after, after + 1 + LONGEST_DOMAIN))?.[0];
      if (domain === undefined || PICTURE.test(domain)) return;
      from = after + domain.length;
      spans.push({ start, end: from });
    };
    let at = text.indexOf('@');
    let escaped = text.indexOf(ESCAPED_AT);
    while (at >= 0 || escaped >= 0) {
      if (escaped < 0 || (at >= 0 && at < escaped)) {
        look(at, at + 1);
        at = text.indexOf('@', at + 1);
      } else {
        look(escaped, escaped + ESCAPED_AT.length);
        escaped = text.indexOf(ESCAPED_AT, escaped + 1);
      }
    }
    return spans;
  },
  normalise: found => found.toLowerCase().replace(ESCAPED_AT, '@'),
};

function localStart(text: string, at: number, from: number): number {
  const limit = Math.max(from, at - LONGEST_LOCAL);
  let start = at;
  while (start > limit && LOCAL.test(text.charAt(start - 1))) start--;
  start += lengthOfWordsBefore(text.slice(start, at), text.charAt(start - 1));
  // Quotes, dots and hyphens in front belong to the sentence.
  while (start < at && /[.'%+=-]/.test(text.charAt(start))) start++;
  return text.charAt(at - 1) === '.' ? at : start;
}

/** In a query, or in a line of a log, what stands before an equals sign is the name of a field. */
const FIELD =
  /^(?:[\w.-]*(?:mail|user|name|login|contact|addr(?:ess)?|recipient|sender|author|owner|account|customer|client|member|rcpt)|(?:[\w.-]*[_.-])?(?:id|by|who|key|value|to|from|b?cc|q|u|e|m))=/i;
/** What a URL cannot hold as it is, and an address does not have. */
const ESCAPED_DELIMITER = /^.*%(?:2[026CFcf]|3[A-Fa-f]|5[BDbd]|0[ADad])/s;
/** Where no blanks are written, an address of Latin letters begins with the first of them. */
const UNSPACED = /^.*[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}](?=[\w.+~-]+$)/su;

/** How much of what could be a local part is not of it. */
function lengthOfWordsBefore(local: string, before: string): number {
  if (/^[\w.+-]*$/.test(local)) return 0;
  const words =
    ESCAPED_DELIMITER.exec(local) ??
    (/[?&;]/.test(before) ? /^[^=]*=/.exec(local) : FIELD.exec(local)) ??
    UNSPACED.exec(local);
  return words?.[0].length ?? 0;
}
