/**
 * Why a request was not taken for its provider's: the part of the signature that did not fit. Shown on the rejected
 * request in the dashboard; its sender reads no more than that authentication failed.
 */
export type Mismatch =
  | { readonly part: 'header_missing'; readonly header: string }
  | { readonly part: 'header_repeated'; readonly header: string }
  | { readonly part: 'header_malformed'; readonly header: string; readonly expected: string }
  | { readonly part: 'timestamp_malformed'; readonly where: string }
  | { readonly part: 'timestamp_old'; readonly where: string; readonly seconds: number }
  | { readonly part: 'timestamp_ahead'; readonly where: string; readonly seconds: number }
  | { readonly part: 'signature_differs'; readonly where: string; readonly over: string }
  | { readonly part: 'token_differs'; readonly where: string }
  | { readonly part: 'body_unreadable'; readonly expected: string }
  | { readonly part: 'field_missing'; readonly field: string }
  | { readonly part: 'certificate_refused'; readonly reason: string };

/** Null: it fits. */
export type Verdict = Mismatch | null;

/** One sentence that says which part it was and, where that is known, what to look at. */
export function explainMismatch(mismatch: Mismatch): string {
  switch (mismatch.part) {
    case 'header_missing':
      return `The header ${mismatch.header} is missing: the request is not signed, or something on its way removed it.`;
    case 'header_repeated':
      return `The header ${mismatch.header} was sent more than once.`;
    case 'header_malformed':
      return `The header ${mismatch.header} must be ${mismatch.expected}.`;
    case 'timestamp_malformed':
      return `The timestamp in ${mismatch.where} is not a Unix time.`;
    case 'timestamp_old':
      return `The timestamp in ${mismatch.where} is ${mismatch.seconds} s old: the request was delayed or resent, or a clock is wrong.`;
    case 'timestamp_ahead':
      return `The timestamp in ${mismatch.where} lies ${mismatch.seconds} s ahead of this server: one of the two clocks is wrong.`;
    case 'signature_differs':
      return `The signature in ${mismatch.where} does not match ${mismatch.over} with this source’s secret or key: it was signed with another, or the request was changed in transit.`;
    case 'token_differs':
      return `The token in ${mismatch.where} is not this source’s.`;
    case 'body_unreadable':
      return `The body is not ${mismatch.expected}, so the signature inside it cannot be read.`;
    case 'field_missing':
      return `The body has no ${mismatch.field}, where its signature lies.`;
    case 'certificate_refused':
      return `The certificate that signed it was refused: ${mismatch.reason}`;
  }
}
