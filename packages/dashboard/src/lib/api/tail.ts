import type { EventSummary } from '@sluice/contract/dashboard-events';
import { session } from './call.ts';
import { parseExact } from './exact-json.ts';
import { addressOf, type GivenTo } from './path.ts';

/** How long until a stream that was refused is asked for again. */
const AGAIN_MS = 2_000;

export interface News {
  /** Oldest first. One that is known already has changed its state. */
  readonly rows: readonly EventSummary[];
  /** Others that have changed since they came; what is not shown any more is among them. */
  readonly changed?: readonly EventSummary[];
  /** How many came too fast to be sent. */
  readonly skipped: number;
}

/**
 * Follows what comes in after an event, or from now on. After a break the server is sent how far this came, so that
 * nothing is missed; a hidden tab lets go, and catches up when it is seen again. Answers how to stop.
 */
export function followEvents(
  filter: GivenTo<'GET /live/events'>,
  after: string | null,
  listener: { onNews(news: News): void; onConnected(isConnected: boolean): void },
): () => void {
  let stream: EventSource | null = null;
  let newest = after;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function letGo(): void {
    clearTimeout(timer);
    stream?.close();
    stream = null;
  }

  function open(): void {
    letGo();
    if (document.hidden) return;
    const given = { ...filter, after_id: newest ?? undefined };
    const opened = new EventSource(addressOf('GET /live/events', given));
    stream = opened;
    opened.addEventListener('events', message => {
      newest = message.lastEventId;
      listener.onConnected(true);
      listener.onNews(parseExact(message.data) as News);
    });
    opened.addEventListener('error', () => {
      listener.onConnected(false);
      // A browser comes back by itself after a break, but not after an answer that was no stream.
      if (opened.readyState !== EventSource.CLOSED || opened !== stream) return;
      session.dispatchEvent(new Event('refused'));
      timer = setTimeout(open, AGAIN_MS);
    });
  }

  open();
  document.addEventListener('visibilitychange', open);
  return () => {
    document.removeEventListener('visibilitychange', open);
    letGo();
  };
}
