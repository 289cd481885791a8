/** Secrets struck out of a text that somebody else wrote, however they are spelt in it. */

/** Every way in which whoever was sent them may repeat them. */
export function spellingsOf(secrets: readonly string[]): string[] {
  const spelt = secrets
    .filter(secret => secret !== '')
    .flatMap(secret => [secret, ...partsOf(secret)])
    .flatMap(secret => [secret, escaped(secret), escaped(escaped(secret)), ...encoded(secret)]);
  // The longest first: one may be a part of another.
  return [...new Set(spelt)].sort((a, b) => b.length - a.length);
}

export const strikeOut = (text: string, spellings: readonly string[]): string =>
  spellings.reduce((left, spelling) => left.replaceAll(spelling, '…'), text);

/** What of a secret address is itself one: the path of a chat's URL, the password of a database's. */
function partsOf(secret: string): string[] {
  if (!URL.canParse(secret)) return [];
  const { protocol, pathname, search, password } = new URL(secret);
  if (password !== '') return [password, ...decodedOf(password)];
  return protocol === 'https:' || protocol === 'http:' ? [pathname + search, pathname].filter(isTelling) : [];
}

/** Nothing of what only looks percent-encoded: any token may look like an address. */
function decodedOf(text: string): string[] {
  try {
    return [decodeURIComponent(text)];
  } catch {
    return [];
  }
}

const isTelling = (path: string): boolean => path.length > 8;

/** As it stands within JSON; twice, as it stands within JSON that is quoted in JSON. */
const escaped = (secret: string): string => JSON.stringify(secret).slice(1, -1);

/** Shorter ones would strike out what merely looks like them. */
const SHORTEST_ENCODED = 8;

/** As receivers echo it: in hex, percent-encoded, or in base64, by itself or in the middle of something. */
function encoded(secret: string): string[] {
  if (secret.length < SHORTEST_ENCODED) return [];
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const percent = encodeURIComponent(secret.toWellFormed());
  const everyByte = hex.replace(/../g, '%$&');
  const base64 = [0, 1, 2].flatMap(before => {
    const inner = base64Within(bytes, before);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [hex, percent, everyByte]
    .flatMap(text => [text, text.toUpperCase(), lowerEscapes(text)])
    .concat(base64);
}

/** The characters that stand for these bytes alone, where so many others come before them in their group of three. */
function base64Within(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const isShared = (before + bytes.length) % 3 !== 0;
  return text.slice(Math.ceil((before * 4) / 3), isShared ? -1 : undefined);
}

const lowerEscapes = (text: string): string => text.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase());
