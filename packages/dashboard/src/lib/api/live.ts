import { session } from './call.ts';
import { parseExact } from './exact-json.ts';
import { addressOf } from './path.ts';

/**
 * Answers that follow what happens. All calls that the open page watches share one stream; the server sends an
 * answer when it connects and whenever it has changed, so that a stream which broke and came back has missed
 * nothing. A hidden tab lets go of its stream: browsers allow a site six connections in all its tabs.
 */
const AGAIN_MS = 2_000;
/** As many as the server follows on one stream; a page that watches more has the rest as it was read. */
const MOST_CALLS = 16;

interface Listener {
  /** It goes along with what the page follows; alone it is not worth a stream. */
  readonly isAlong?: boolean;
  onAnswer(answer: unknown): void;
  /** It is gone, or is no longer ours to read. */
  onRefused(): void;
}

const listeners = new Map<string, Set<Listener>>();
let stream: EventSource | null = null;
let openedFor = '';
let planned = false;

export function watch(path: string, listener: Listener): () => void {
  const ofPath = listeners.get(path) ?? new Set();
  ofPath.add(listener);
  listeners.set(path, ofPath);
  planToOpen();
  return () => {
    ofPath.delete(listener);
    if (ofPath.size === 0) listeners.delete(path);
    planToOpen();
  };
}

/** Pages come and go call by call; one stream is opened when they have settled. */
function planToOpen(): void {
  if (planned) return;
  planned = true;
  queueMicrotask(() => {
    planned = false;
    open();
  });
}

/** What the page follows, and then what goes along with it. */
function followed(): string[] {
  const isAlong = (path: string) => [...(listeners.get(path) ?? [])].every(one => one.isAlong === true);
  const [along, own] = [
    [...listeners.keys()].filter(isAlong),
    [...listeners.keys()].filter(path => !isAlong(path)),
  ];
  if (own.length === 0) return [];
  return [...own.sort(), ...along.sort()].slice(0, MOST_CALLS);
}

/** What the stream is about to send may have been read before a change, so it is reopened and begins with what holds now. */
export function reopenStream(): void {
  stream?.close();
  openedFor = '';
  planToOpen();
}

function open(): void {
  const paths = document.hidden ? [] : followed();
  const wanted = paths.join('\n');
  if (wanted === openedFor) return;
  stream?.close();
  stream = null;
  openedFor = wanted;
  if (paths.length === 0) return;
  const query = new URLSearchParams(paths.map(path => ['call', path]));
  stream = new EventSource(`${addressOf('GET /live', {})}?${query}`);
  stream.addEventListener('answer', message => {
    const { call, answer } = parseExact(message.data) as { call: string; answer: unknown };
    for (const { onAnswer } of listeners.get(call) ?? []) onAnswer(answer);
  });
  stream.addEventListener('refused', message => {
    const { call } = JSON.parse(message.data) as { call: string };
    for (const { onRefused } of listeners.get(call) ?? []) onRefused();
  });
  // A browser comes back by itself after a break, but not after an answer that was no stream.
  stream.addEventListener('error', ({ target }) => {
    if (target !== stream || stream?.readyState !== EventSource.CLOSED) return;
    openedFor = '';
    // A stream does not say why it was refused: perhaps nobody is logged in any more.
    session.dispatchEvent(new Event('refused'));
    setTimeout(planToOpen, AGAIN_MS);
  });
}

if (typeof document !== 'undefined') document.addEventListener('visibilitychange', planToOpen);
