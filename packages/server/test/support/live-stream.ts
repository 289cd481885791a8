import { cookieOf, type Browser as DashboardCaller } from './dashboard.ts';
import { until } from './until.ts';

export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  readonly id: string | null;
}

/** A stream of server-sent events as a browser receives it. */
export interface LiveStream {
  readonly response: Response;
  readonly received: StreamMessage[];
  /** Whether the server has brought it to an end; one that is cut off has none. */
  readonly hasEnded: () => boolean;
  /** The first message that this is true of, once it has come. */
  next(matches: (message: StreamMessage) => boolean): Promise<StreamMessage>;
  /** Hangs up. */
  close(): void;
}

export async function openStream(
  url: string,
  caller: Pick<DashboardCaller, 'setCookie'>,
  path: string,
  headers: Record<string, string> = {},
): Promise<LiveStream> {
  const abort = new AbortController();
  const response = await fetch(`${url}/dashboard/api${path}`, {
    headers: { Accept: 'text/event-stream', Cookie: cookieOf(caller), ...headers },
    signal: abort.signal,
  });
  const received: StreamMessage[] = [];
  let hasEnded = false;
  if (response.ok) {
    void listen(response, message => received.push(message))
      .then(() => {
        hasEnded = true;
      })
      .catch(() => undefined);
  }
  return {
    response,
    received,
    hasEnded: () => hasEnded,
    async next(matches) {
      await until(() => received.some(matches), `nothing like it was received on ${path}`);
      return received.find(matches) as StreamMessage;
    },
    close: () => abort.abort(),
  };
}

async function listen(response: Response, onMessage: (message: StreamMessage) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const lines = part.split('\n').map(line => line.split(': '));
      const all = (name: string) =>
        lines.filter(([key]) => key === name).map(([, ...value]) => value.join(': '));
      const [event] = all('event');
      if (event !== undefined) onMessage({ event, data: all('data').join('\n'), id: all('id')[0] ?? null });
    }
  }
}
