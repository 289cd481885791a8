import type { CheckedAnswer } from './answer-check.ts';

/** What must come back for bytes that no HTTP client would send. */

interface WholeRequest {
  readonly method: string;
  readonly path: string;
}

interface RawAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Bun reads no more than this of a request's head. */
const MOST_HEAD_BYTES = 16 * 1024;
const MOST_HEADERS = 198;
/** What Bun says by itself of what it cannot read, with no word more, before it closes. */
const OF_THE_PARSER = [400, 431, 505];

interface RawRequests {
  /** Those that begin the bytes, as far as each of them is right and whole: these come to the service. */
  readonly whole: readonly WholeRequest[];
  /** It is one, and nothing follows: the service has to answer it, whatever it is. */
  readonly isAlone: boolean;
}

export function readRequests(bytes: string): RawRequests {
  const whole: WholeRequest[] = [];
  let rest = bytes;
  while (rest !== '') {
    const head = rest.slice(0, Math.max(0, rest.indexOf('\r\n\r\n')));
    const [first = '', ...headers] = head.split('\r\n');
    const [, method, target, version] = /^(GET|POST|TRACE) ([\x21-\x7e]+) HTTP\/(1\.[01])$/.exec(first) ?? [];
    if (method === undefined || target === undefined || !/^(http:\/)?\//.test(target)) break;
    if (head.length > MOST_HEAD_BYTES || headers.length > MOST_HEADERS) break;
    if (!headers.every(line => /^[\w-]+:[^\0\r\n]*$/.test(line))) break;
    // Of the newer version Bun answers none that leaves the host out.
    if (version === '1.1' && !headers.some(line => /^host:/i.test(line))) break;
    const length = bodyLength(headers, rest.slice(head.length + 4));
    if (length === null) break;
    whole.push({ method, path: new URL(target, 'http://localhost').pathname });
    rest = rest.slice(head.length + 4 + length);
    // The first version knows one request for each connection.
    if (version === '1.0') break;
  }
  return { whole, isAlone: whole.length === 1 && rest === '' };
}

/** How much of what follows is the body; null where that cannot be told, or it is not all there. */
function bodyLength(headers: readonly string[], rest: string): number | null {
  const valuesOf = (name: string) =>
    headers
      .filter(line => line.toLowerCase().startsWith(`${name}:`))
      .map(line => line.slice(name.length + 1).trim());
  const lengths = valuesOf('content-length');
  const encodings = valuesOf('transfer-encoding');
  const [length = '0'] = lengths;
  if (lengths.length + encodings.length > 1) return null;
  if (encodings.length === 0)
    return /^\d{1,15}$/.test(length) && Number(length) <= rest.length ? Number(length) : null;
  return encodings[0] === 'chunked' ? (readChunks(rest)?.length ?? null) : null;
}

/** What the chunks hold, and how long they are with all that stands around it; null where they do not end. */
function readChunks(bytes: string): { text: string; length: number } | null {
  let text = '';
  for (let at = 0; ; ) {
    const [line, digits = ''] = /^([0-9a-f]{1,8})\r\n/i.exec(bytes.slice(at, at + 10)) ?? [];
    if (line === undefined) return null;
    const from = at + line.length;
    const to = from + Number.parseInt(digits, 16);
    if (bytes.slice(to, to + 2) !== '\r\n') return null;
    if (to === from) return { text, length: to + 2 };
    text += bytes.slice(from, to);
    at = to + 2;
  }
}

/** Answers one after the other, without those that only say to go on; what does not end is left out. */
export function readAnswers(received: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = received; ; ) {
    const [head, status = ''] = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/.exec(rest) ?? [];
    if (head === undefined) return answers;
    const headerOf = (name: string) => new RegExp(`\r\n${name}: *([^\r]*)`, 'i').exec(head)?.[1];
    const after = rest.slice(head.length);
    const length = Number(headerOf('content-length') ?? 0);
    const body = headerOf('transfer-encoding') ? readChunks(after) : { text: after.slice(0, length), length };
    if (body === null || after.length < body.length) return answers;
    if (status !== '100')
      answers.push({ status: Number(status), type: headerOf('content-type') ?? '', text: body.text });
    rest = after.slice(body.length);
  }
}

/** What is wrong with what came back; null where nothing is. */
export function judgeAnswers(
  sent: string,
  received: string,
  check: (answer: CheckedAnswer) => string | null,
): string | null {
  const { whole, isAlone } = readRequests(sent);
  const answers = readAnswers(received);
  for (const [n, { status, type, text }] of answers.entries()) {
    const isOfTheParser = OF_THE_PARSER.includes(status) && text === '';
    // What follows a request while its answer is awaited has Bun close the connection, at times with a word of its own.
    if (isOfTheParser && !isAlone && n === answers.length - 1) continue;
    const { method, path } = whole[n] ?? { method: '', path: '/v1/' };
    const wrong =
      path === '/healthz'
        ? status === 200
          ? null
          : 'it is well'
        : check({ method, path, status, type, text });
    if (wrong !== null) return `answer ${n + 1}, ${status}: ${wrong}`;
  }
  return isAlone && answers.length !== 1 ? `${answers.length} answers to it` : null;
}
