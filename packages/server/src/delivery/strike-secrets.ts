import { getPath, parsePath } from '../core/expressions/path.ts';
import type { AttemptResult } from '../core/http/attempt.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Kind } from '../core/kinds/kind.ts';
import type { Destination } from './destination.ts';

/** A receiver that answers with what it was sent would have its secrets kept and shown: they are struck out. */
export function strikeSecrets(destination: Destination, kind: Kind, config: JsonObject): Destination {
  const secrets = secretsOf(kind, config);
  if (secrets.length === 0) return destination;
  return { ...destination, send: async delivery => strike(await destination.send(delivery), secrets) };
}

function secretsOf(kind: Kind, config: JsonObject): string[] {
  const values = kind.secrets.map(path => getPath(config, parsePath(path)));
  const whole = values.filter(value => typeof value === 'string').filter(value => value !== '');
  const spelt = whole
    .flatMap(value => [value, ...partsOf(value)])
    .flatMap(value => [value, escaped(value), escaped(escaped(value)), ...encoded(value)]);
  // The longest first: one may be a part of another.
  return [...new Set(spelt)].sort((a, b) => b.length - a.length);
}

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

function strike(result: AttemptResult, secrets: readonly string[]): AttemptResult {
  const everything = everyTextOf(result);
  if (!secrets.some(secret => everything.includes(secret))) return result;
  const clean = (text: string) => secrets.reduce((left, secret) => left.replaceAll(secret, '…'), text);
  const { target, headers, body } = result.request;
  const facts = {
    request: {
      target: clean(target),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, clean(value)])),
      body: clean(body),
    },
    response: result.response === null ? null : clean(result.response),
  };
  return result.outcome === 'failed'
    ? { ...result, ...facts, message: clean(result.message) }
    : { ...result, ...facts };
}

/** As one text, so that each secret is looked for once: most results hold none. */
function everyTextOf(result: AttemptResult): string {
  const { target, headers, body } = result.request;
  let text = `${target}\n${body}\n${result.response ?? ''}\n`;
  for (const name in headers) text += `${headers[name]}\n`;
  return result.outcome === 'failed' ? text + result.message : text;
}
