import { type Clock, hours } from '../core/clock.ts';

/** Often enough to be seen in a log, and no way for a stranger to fill it. */
const EVERY_MS = hours(1);

/**
 * Notices a proxy that nobody told us of: then everybody seems to come from its address, and the wrong passwords of one
 * lock all of them out. Anybody can send such headers, so that it is only a hint.
 */
export function createProxyWarning(options: {
  readonly trustProxy: boolean;
  readonly clock: Clock;
  warn(message: string): void;
}): (request: Request) => void {
  const { trustProxy, clock, warn } = options;
  let quietUntil = Number.NEGATIVE_INFINITY;
  return request => {
    if (trustProxy) return;
    const name = ['x-forwarded-for', 'forwarded'].find(header => request.headers.has(header));
    if (name === undefined || clock.now() < quietUntil) return;
    quietUntil = clock.now() + EVERY_MS;
    warn(
      `Requests come with ${name === 'forwarded' ? 'Forwarded' : 'X-Forwarded-For'}, which is ignored while SLUICE_TRUST_PROXY is off: failed logins count against the proxy's address, and lock out everyone behind it. If your own proxy is in front and sets X-Forwarded-For, set SLUICE_TRUST_PROXY=true.`,
    );
  };
}
