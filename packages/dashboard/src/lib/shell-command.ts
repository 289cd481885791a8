import { quoted } from './as-curl.ts';

/**
 * Begins a command that needs a secret which nobody here knows: the terminal asks for it. So it works as it was pasted,
 * and the secret stands in no history of a shell.
 */
export const askFor = (name: string, what: string): string =>
  `printf ${quoted(`${what}: `)} && read -r ${name}`;

/** Commands that run one after the other, as long as each does well. */
export const inTurn = (...commands: readonly string[]): string => commands.join(' &&\n');

/** A call of the API with a key that the terminal asks for. */
export const commandAskingForKey = (call: { method?: 'PUT'; url: string; body: object }): string =>
  inTurn(
    askFor('KEY', 'API key'),
    [
      `curl ${call.method ? `-X ${call.method} ` : ''}${quoted(call.url)}`,
      `-H "Authorization: Bearer $KEY"`,
      `-H 'Content-Type: application/json'`,
      `-d ${quoted(JSON.stringify(call.body))}`,
    ].join(' \\\n  '),
  );

/** A first event, sent with a key that is known: it is shown this once, beside the key itself. */
export const commandWithKey = (base: string, key: string): string =>
  [
    `curl ${base}/v1/ingest \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"events":[{"type":"hello.world","payload":{"message":"Hello, Sluice!"}}]}'`,
  ].join('\n');
