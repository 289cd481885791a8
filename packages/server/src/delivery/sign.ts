import { createHmac } from 'node:crypto';

/**
 * The value of `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, where the digest is HMAC-SHA256 over
 * `<t>.<raw body>`. While a secret is being rotated each of the two signs, and a receiver accepts either.
 */
export function signBody(secrets: readonly string[], body: string, nowMs: number): string {
  const t = Math.floor(nowMs / 1_000);
  const digests = secrets.map(
    secret => `v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`,
  );
  return [`t=${t}`, ...digests].join(',');
}
