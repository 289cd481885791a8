/** One message of a stream of server-sent events. */
interface StreamEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | null;
}

/** More than any message of ours: what is longer is no stream of events. */
const LONGEST_MESSAGE = 32 * 1024 * 1024;

/** The messages of a stream as they come, until it ends. Comments, which only keep it open, are left out. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n\n');
    rest = end < 0 ? text : text.slice(end + 2);
    if (rest.length > LONGEST_MESSAGE) throw new Error('The server did not send a valid event stream.');
    if (end < 0) continue;
    for (const block of text.slice(0, end).split('\n\n')) {
      const found = toEvent(block);
      if (found !== null) yield found;
    }
  }
}

function toEvent(block: string): StreamEvent | null {
  let event = 'message';
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    const field = line.slice(0, colon);
    if (field === 'event') event = value;
    else if (field === 'id') id = value;
    else if (field === 'data') data.push(value);
  }
  return data.length === 0 ? null : { event, data: data.join('\n'), id };
}
