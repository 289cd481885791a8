/** Cuts at a whole character and says so with an ellipsis; `most` counts UTF-16 units, as the vendors do. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = most - 1;
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return `${text.slice(0, isHalf ? end - 1 : end)}…`;
}

/**
 * Chats read a mention where an at sign follows a blank, but also a dot, a dash or another mark, and one that ends a
 * value may stand before the next. An invisible word joiner after it leaves the look and takes the effect. Only that of
 * an email address stays as it is: between a letter or a digit, which no chat looks past, and a domain with a dot.
 */
export const withoutMentions = (text: string): string =>
  text.replace(/(?<![a-z0-9])@|@(?![\p{L}\p{N}-]+\.[\p{L}\p{N}])/giu, '@\u2060');

/** `2026-01-31 12:00:00 UTC`. */
export const readableTime = (epochMs: number): string =>
  `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** What others answer may hold anything; a relational database takes neither NUL nor half a character. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** Cuts at a whole character; `mostBytes` counts UTF-8. */
export function cutToBytes(text: string, mostBytes: number): string {
  if (text.length * 3 <= mostBytes || Buffer.byteLength(text) <= mostBytes) return text;
  // No character has fewer bytes than units: what is left of it has enough of them.
  const bytes = Buffer.from(text.slice(0, mostBytes));
  let end = mostBytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** What others answer as it is kept: storable, in so many bytes, and with an ellipsis where there was more. */
export function keptText(text: string, mostBytes: number): string {
  const whole = storable(text);
  if (cutToBytes(whole, mostBytes).length === whole.length) return whole;
  return `${cutToBytes(whole, mostBytes - Buffer.byteLength('…'))}…`;
}

/** What somebody else gives as a reason, short enough to stand in a sentence. */
export const quoted = (reason: string): string => cutText(storable(reason), 500);
