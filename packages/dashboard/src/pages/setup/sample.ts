/** The event that a newcomer sends, and the commands that send it. */
export const SAMPLE_BODY = '{"type":"hello.world","message":"Hello, Sluice!"}';

/** Browsers sign only where the page came safely: by https, or from this very machine. */
export const canSign = (): boolean => globalThis.crypto?.subtle !== undefined;

const JSON_HEADER = "-H 'Content-Type: application/json'";

/** What `X-Ingest-Signature` must hold: HMAC-SHA256 of the raw body, in lowercase hex. */
export async function sign(secret: string, body: string): Promise<string> {
  const text = new TextEncoder();
  const key = await crypto.subtle.importKey(
    'raw',
    text.encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, text.encode(body)));
  return [...digest].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

export const signedCommand = (url: string, signature: string): string =>
  [
    `curl ${url} \\`,
    `  ${JSON_HEADER} \\`,
    `  -H 'X-Ingest-Signature: ${signature}' \\`,
    `  -d '${SAMPLE_BODY}'`,
  ].join('\n');

/** Signs whatever the body is, with what every machine has. */
export const signingCommand = (url: string, secret: string): string =>
  [
    `body='${SAMPLE_BODY}'`,
    `signature=$(printf %s "$body" | openssl dgst -sha256 -hmac '${secret}' | sed 's/.* //')`,
    `curl ${url} \\`,
    `  ${JSON_HEADER} \\`,
    '  -H "X-Ingest-Signature: $signature" \\',
    '  -d "$body"',
  ].join('\n');
