/**
 * First digits and lengths of the numbers that card networks give out, as their own documents and the lists of
 * payment processors have them. Random digits pass the check digit once in ten; these rule out nearly all of the rest.
 */
interface CardNetwork {
  readonly prefix: RegExp;
  readonly lengths: readonly number[];
}

const from = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

const networks: Readonly<Record<string, CardNetwork>> = {
  visa: { prefix: /^4/, lengths: [13, 16, 18, 19] },
  mastercard: { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  'american express': { prefix: /^3[47]/, lengths: [15] },
  'diners club': { prefix: /^(?:30[0-5]|3095|36|38|39)/, lengths: [14, 16, 19] },
  jcb: { prefix: /^35(?:2[89]|[3-8])/, lengths: from(16, 19) },
  'jcb of old': { prefix: /^(?:2131|1800)/, lengths: [15] },
  uatp: { prefix: /^1/, lengths: [15] },
  // Troy and RuPay have part of its numbers too.
  discover: { prefix: /^(?:6011|64[4-9]|65)/, lengths: from(16, 19) },
  unionpay: { prefix: /^(?:62|81)/, lengths: from(16, 19) },
  rupay: { prefix: /^(?:60[0-7]|6080|6085|8[12]|508)/, lengths: [16] },
  troy: { prefix: /^9792/, lengths: [16] },
  mir: { prefix: /^220[0-4]/, lengths: from(16, 19) },
  borica: { prefix: /^2205/, lengths: [16] },
  hipercard: { prefix: /^(?:606282|3841[046]0|637095|6375(?:68|99)|6376(?:09|12))/, lengths: [13, 16, 19] },
  elo: { prefix: /^(?:506[67]|509|6277(?:80)|636(?:297|368|369)|65(?:00|16|50))/, lengths: [16] },
  maestro: { prefix: /^(?:50|5[6-8]|6304|6390|67)/, lengths: [16, 18, 19] },
  'maestro, in other lengths': {
    prefix: /^(?:5018|5020|5038|5893|6304|67(?:59|6[1-3]))/,
    lengths: from(13, 19),
  },
  verve: { prefix: /^(?:506[01]|507[89]|6500)/, lengths: [16, 18, 19] },
  instapayment: { prefix: /^63[7-9]/, lengths: [16] },
  interpayment: { prefix: /^636/, lengths: from(16, 19) },
  uzcard: { prefix: /^8600/, lengths: [16] },
  humo: { prefix: /^9860/, lengths: [16] },
  napas: { prefix: /^9704/, lengths: [16, 19] },
  ukrcard: { prefix: /^604(?:0[0-9]|1[0-9]|20)/, lengths: from(16, 19) },
};

const byLength = new Map<number, readonly RegExp[]>(
  from(13, 19).map(length => [
    length,
    Object.values(networks).flatMap(({ prefix, lengths }) => (lengths.includes(length) ? [prefix] : [])),
  ]),
);

/** Whether digits are such as a network gives out, check digit included. */
export const isCardNumber = (digits: string): boolean =>
  passesLuhn(digits) && (byLength.get(digits.length)?.some(prefix => prefix.test(digits)) ?? false);

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = digit * 2;
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
