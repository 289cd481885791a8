import { answersTo, type Draft, lifeOf, operatorLine } from './clean-logs.ts';

/** What nodes should not do: answer wrongly or not at all, and end in ways that nobody promised. */

const answer = (over: object) => (logs: Draft) => void Object.assign(answersTo(logs, 3)[0] ?? {}, over);
const refusal = (code: string) => JSON.stringify({ error: { code, message: 'Not now.' } });
const away = { status: 503, events: [], error: refusal('storage_unavailable'), retryAfter: '2' };
const silence = { status: null, events: [], lack: 'out of time', at: 16_000 };
const end = (over: object) => (logs: Draft) => void Object.assign(lifeOf(logs), over);

export const plantedAtNodes: [string, string, (logs: Draft) => void][] = [
  ['answers', 'a 500', answer({ ...away, status: 500, error: refusal('internal') })],
  ['answers', 'a 503 for another reason', answer({ ...away, error: refusal('internal') })],
  ['answers', 'a 503 that does not say when to come again', answer({ ...away, retryAfter: null })],
  ['answers', 'a 503 that says to come again at once', answer({ ...away, retryAfter: '0' })],
  ['answers', 'a 502 that is no envelope', answer({ ...away, status: 502, error: '<html>' })],
  ['answers', 'a refusal that is no envelope', answer({ status: 404, events: [], error: '404 Not Found' })],
  ['answers', 'a node that is up and silent', answer(silence)],
  ['answers', 'a node that is up and does not listen', answer({ ...silence, at: 1_001, lack: 'refused' })],
  [
    'answers',
    'a node that was stopped in its tracks, and is silent long after',
    logs => {
      const signals = [
        { at: 600, signal: 'SIGSTOP' },
        { at: 900, signal: 'SIGCONT' },
      ];
      Object.assign(lifeOf(logs), { signals });
      answer(silence)(logs);
    },
  ],
  [
    'answers',
    'a silent node, whose disk would have failed if it had written to it',
    logs => {
      Object.assign(lifeOf(logs), { trace: 'full.strace' });
      logs.faults.push({ at: 0, until: 1, kind: 'full-disk', met: false, detail: '', trace: 'full.strace' });
      answer(silence)(logs);
    },
  ],
  [
    'answers',
    'a 500 at the dashboard',
    logs => void logs.operators.push({ ...operatorLine(logs), ...away, status: 500 }),
  ],
  [
    'answers',
    'silence at the dashboard',
    logs => void logs.operators.push({ ...operatorLine(logs), ...silence, lack: 'out of time' }),
  ],
  [
    'answers',
    'a dashboard that nobody asked',
    logs => {
      logs.operators = [];
    },
  ],
  ['ends', 'a node that ends by itself', end({ signals: [], end: 0 })],
  [
    'ends',
    'a node that dies of a defect',
    end({ signals: [], end: 1, said: 'TypeError: undefined is not an object' }),
  ],
  ['ends', 'a segmentation fault', end({ end: 'SIGSEGV' })],
  ['ends', 'a SIGTERM that nobody minded', end({ end: 'SIGTERM' })],
  ['ends', 'a stop that ended with 1', end({ end: 1 })],
  ['ends', 'a stop that took a minute', end({ at: 112_000 })],
  ['ends', 'a node that somebody else killed', end({ end: 'SIGKILL' })],
  [
    'ends',
    'a stop that took longer than it was stopped in its tracks',
    end({
      at: 80_000,
      signals: [
        { at: 52_000, signal: 'SIGTERM' },
        { at: 53_000, signal: 'SIGSTOP' },
        { at: 63_000, signal: 'SIGCONT' },
      ],
    }),
  ],
  [
    'ends',
    'a node that failed for its disk, which failed nobody',
    end({
      signals: [],
      end: 1,
      said: 'The disk failed (SQLITE_IOERR_FSYNC): disk I/O error',
      trace: 'x.strace',
    }),
  ],
  [
    'ends',
    'a node that does not wait for its storage once it serves',
    logs => {
      end({ signals: [], end: 1, said: 'PostgreSQL at 127.0.0.1:5432 cannot be used: it is away.' })(logs);
      logs.faults.push({ at: 50_000, until: 61_000, kind: 'postgres-kill', met: true, detail: '' });
    },
  ],
  [
    'ends',
    'lives that nobody wrote down',
    logs => {
      logs.lives = [];
    },
  ],
];
