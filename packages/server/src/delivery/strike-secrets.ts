import { getPath, parsePath } from '../core/expressions/path.ts';
import type { AttemptResult } from '../core/http/attempt.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Kind } from '../core/kinds/kind.ts';
import { spellingsOf, strikeOut } from '../core/secrets/strike-out.ts';
import type { Destination } from './destination.ts';

/** A receiver that answers with what it was sent would have its secrets kept and shown: they are struck out. */
export function strikeSecrets(destination: Destination, kind: Kind, config: JsonObject): Destination {
  const secrets = secretsOf(kind, config);
  if (secrets.length === 0) return destination;
  return { ...destination, send: async delivery => strike(await destination.send(delivery), secrets) };
}

function secretsOf(kind: Kind, config: JsonObject): string[] {
  const values = kind.secrets.map(path => getPath(config, parsePath(path)));
  return spellingsOf(values.filter(value => typeof value === 'string'));
}

function strike(result: AttemptResult, secrets: readonly string[]): AttemptResult {
  const everything = everyTextOf(result);
  if (!secrets.some(secret => everything.includes(secret))) return result;
  const clean = (text: string) => strikeOut(text, secrets);
  const cleanAll = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [clean(name), clean(value)]));
  const { target, headers, body } = result.request;
  const facts = {
    request: {
      target: clean(target),
      headers: cleanAll(headers),
      body: clean(body),
    },
    response: result.response === null ? null : clean(result.response),
    ...(result.exchange
      ? { exchange: { ...result.exchange, headers: cleanAll(result.exchange.headers) } }
      : {}),
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
  for (const name in result.exchange?.headers) text += `${name}\n${result.exchange.headers[name]}\n`;
  return result.outcome === 'failed' ? text + result.message : text;
}
