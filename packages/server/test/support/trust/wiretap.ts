import { spyOn } from 'bun:test';

/** What this process sends by `fetch`, and what it is answered. */
export interface Wiretap {
  /** Requests and answers, streams apart, since it was laid. */
  heard(): string;
  remove(): void;
}

export function tapFetch(): Wiretap {
  const whole = globalThis.fetch;
  const texts: string[] = [];
  const listening = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { method = 'GET', headers = {}, body = null } = init ?? {};
    texts.push(`${method} ${input} ${JSON.stringify([...new Headers(headers)])} ${body}`);
    const response = await whole(input, init);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    texts.push(JSON.stringify([...response.headers]), isStream ? '' : await response.clone().text());
    return response;
  };
  const spy = spyOn(globalThis, 'fetch').mockImplementation(listening as typeof fetch);
  return { heard: () => texts.join('\n'), remove: () => spy.mockRestore() };
}
