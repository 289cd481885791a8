import { seconds } from '../../core/clock.ts';
import type { OutgoingHttp } from '../../core/http/outgoing.ts';

/** What presets fetch, through the guarded client. */
const TIMEOUT_MS = seconds(10);
const MOST_BYTES = 64 * 1024;

export function createTextFetcher(client: Pick<OutgoingHttp, 'request'>): (url: string) => Promise<string> {
  return async url => {
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
  };
}
