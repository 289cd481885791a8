import { seconds } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import type { OutgoingHttp } from '../../core/http/outgoing.ts';

/** What presets fetch, through the guarded client. */
const TIMEOUT_MS = seconds(10);
const MOST_BYTES = 64 * 1024;
/** Of all sources: what is fetched here may be asked for by anybody who knows an address. */
const MOST_AT_A_TIME = 8;

export function createTextFetcher(client: Pick<OutgoingHttp, 'request'>): (url: string) => Promise<string> {
  let running = 0;
  return async url => {
    if (running >= MOST_AT_A_TIME) throw tooManyFetches();
    running += 1;
    try {
      const result = await client.request({
        url,
        method: 'GET',
        headers: {},
        timeoutMs: TIMEOUT_MS,
        keptBytes: MOST_BYTES,
      });
      if (result.kind === 'failed') throw new Error(result.failure.message);
      if (result.status !== 200) throw new Error(`It answered ${result.status}.`);
      return result.body;
    } finally {
      running -= 1;
    }
  };
}

/** No verdict on the request: it may come again. */
export const tooManyFetches = () =>
  new Problem('storage_unavailable', {
    message: 'This request cannot be verified now. Send it again.',
    reason: 'Too many certificates are being fetched at a time.',
    retryAfter: 10,
  });
