import { connect } from 'node:net';
import { createSeeded, type Seeded } from '../../corpus/seeded.ts';
import { readAnswers, readRequests } from './raw-answers.ts';

/** Requests as bytes that no HTTP client would send. */
export function rawRequest(seed: number, n: number, path: string, headers: readonly string[]): string {
  const random = createSeeded((seed ^ Math.imul(n + 1, 2_246_822_519)) >>> 0);
  for (let i = 0; i < 8; i++) random.between(0, 1);
  const body = '{"events":[{"type":"a"}]}';
  /** The first of them is right, and is taken half of the time. */
  const some = <T>(parts: readonly [T, ...T[]]): T =>
    random.between(0, 1) === 0 ? parts[0] : random.oneOf(parts);
  const lines = [some(firstLines)(path), ...some(hosts), ...headers, some(lengths)(body)];
  for (let more = random.between(0, 2); more > 0; more--) lines.push(some(oddLines)(random));
  return `${lines.join(some(['\r\n', '\n']))}\r\n\r\n${some(bodies)(body)}`;
}

const firstLines: readonly [(path: string) => string, ...((path: string) => string)[]] = [
  path => `POST ${path} HTTP/1.1`,
  path => `POST ${path} HTTP/1.0`,
  path => `POST ${path} HTTP/9.9`,
  path => `POST http://elsewhere.example${path} HTTP/1.1`,
  path => `TRACE ${path} HTTP/1.1`,
  path => `FOO ${path} HTTP/1.1`,
  path => `post ${path} HTTP/1.1`,
  path => `POST ${path}%00%ff HTTP/1.1`,
  path => `POST ${path}\u0000\u0007 HTTP/1.1`,
  path => `POST ${path}?${'a=b&'.repeat(2_000)} HTTP/1.1`,
  path => `POST  ${path}`,
  () => 'POST * HTTP/1.1',
  () => '\u0016\u0003\u0001\u0002\u0000\u0001',
  () => 'PRI * HTTP/2.0',
];

/** One of them is left out. */
const hosts: readonly [readonly string[], ...(readonly string[])[]] = [
  ['Host: localhost'],
  [],
  ...['', 'a:b:c', 'a b', 'a/b', 'a@b', 'x, y', '[', 'x:99999', '\u00e9', '%'].map(host => [`Host: ${host}`]),
];

const lengths: readonly [(body: string) => string, ...((body: string) => string)[]] = [
  body => `Content-Length: ${body.length}`,
  body => `Content-Length: ${body.length}\r\nContent-Length: 1`,
  body => `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked`,
  () => 'Content-Length: -1',
  () => 'Content-Length: 99999999999999999999',
  () => 'Content-Length: 0x10',
  () => 'Content-Length: 1000',
  () => 'Transfer-Encoding: chunked',
  () => 'Transfer-Encoding: gzip, chunked',
  () => 'X-None: 1',
];

const oddLines: readonly [(random: Seeded) => string, ...((random: Seeded) => string)[]] = [
  () => 'Content-Type: application/json',
  () => 'Content-Encoding: gzip',
  () => 'Expect: 100-continue',
  () => 'Expect: 200-ok',
  () => 'Upgrade: websocket\r\nConnection: Upgrade',
  () => 'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk',
  () => 'no colon here',
  () => ': no name',
  () => 'X-Folded: a\r\n b',
  () => 'X-Nul: a\u0000b',
  () => 'X-High: \u00ff\u00fe',
  () => 'Host: other.example',
  random => `X-Long: ${'x'.repeat(random.oneOf([4_000, 70_000]))}`,
  random => Array.from({ length: random.oneOf([50, 300]) }, (_, n) => `X-${n}: ${n}`).join('\r\n'),
];

const bodies: readonly [(body: string) => string, ...((body: string) => string)[]] = [
  body => body,
  () => '',
  body => body.slice(0, 5),
  body => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  body => `${body.length.toString(16)}\r\n${body.slice(0, 4)}`,
  () => 'zz\r\n\r\n',
  () => 'ffffffffffffffffff\r\n',
  body => `${body}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`,
];

/** For how long a client waits for an answer to what may be half a request, before it says that this was all. */
const PATIENCE_MS = 200;
/** Thousands of times as long as an answer takes. */
const HANGING_MS = 20_000;

/**
 * Sends the bytes, and waits for the answer where they are one whole request. Resolves with all that came back, once the
 * other side has closed too; fails where it neither answers nor closes.
 */
export function sendRaw(port: number, bytes: string): Promise<string> {
  const { whole, isAlone } = readRequests(bytes);
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let received = '';
    const hanging = setTimeout(() => {
      socket.destroy();
      reject(new Error(`It hangs after ${JSON.stringify(received.slice(0, 300))}.`));
    }, HANGING_MS);
    const lastWord = isAlone ? undefined : setTimeout(() => socket.end(), PATIENCE_MS);
    const settle = (then: () => void) => {
      clearTimeout(hanging);
      clearTimeout(lastWord);
      then();
    };
    socket.on('connect', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.on('data', chunk => {
      received += chunk.toString('latin1');
      if (readAnswers(received).length >= whole.length) socket.end();
    });
    socket.on('end', () => socket.end());
    socket.on('error', (error: NodeJS.ErrnoException) =>
      settle(() =>
        error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(received) : reject(error),
      ),
    );
    socket.on('close', () => settle(() => resolve(received)));
  });
}
