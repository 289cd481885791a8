import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** Where a command speaks, and listens. */
export interface Terminal {
  say(line: string): void;
  complain(line: string): void;
  /** A line that takes the place of the one before it; nothing where no person watches. Empty: the last one goes. */
  progress(line: string): void;
  /** In colour, where a person reads it. */
  paint(colour: 'green' | 'red' | 'yellow' | 'dim', text: string): string;
  /** Typed by a person, or the next line of what is piped in. */
  ask(question: string): Promise<string>;
  /** The same without being shown. */
  askSecret(question: string): Promise<string>;
  /** What is piped in. */
  input(): AsyncIterable<Uint8Array>;
  /** Each key that a person presses, until the signal says so; nothing where nobody sits there. */
  keys(onKey: (key: string) => void, signal: AbortSignal): void;
  /** Aborted when the command is told to stop; asked for by those that go on until then. */
  untilStopped(): AbortSignal;
}

const CLEAR_LINE = '\r\u001b[K';
const INTERRUPT = '\u0003';

export function createSystemTerminal(): Terminal {
  let hasProgress = false;
  const clear = () => {
    if (hasProgress) process.stderr.write(CLEAR_LINE);
    hasProgress = false;
  };
  return {
    say(line) {
      clear();
      console.log(line);
    },
    complain(line) {
      clear();
      console.error(line);
    },
    progress(line) {
      if (process.stderr.isTTY !== true) return;
      clear();
      process.stderr.write(line);
      hasProgress = line !== '';
    },
    paint: (colour, text) =>
      process.stdout.isTTY === true ? styleText(colour, text, { stream: process.stdout }) : text,
    ask: question => ask(question, process.stderr),
    // Readline echoes what is typed to its output, so it is given one that keeps nothing.
    askSecret: question => ask(question, new Writable({ write: (_chunk, _encoding, done) => done() })),
    input: () => process.stdin,
    keys(onKey, signal) {
      if (process.stdin.isTTY !== true) return;
      process.stdin.setRawMode(true);
      process.stdin.on('data', (bytes: Buffer) => {
        const key = bytes.toString();
        // In this mode a Ctrl-C is a key like any other.
        if (key === INTERRUPT) process.emit('SIGINT');
        else onKey(key);
      });
      const end = () => {
        process.stdin.setRawMode(false);
        process.stdin.pause();
      };
      signal.addEventListener('abort', end, { once: true });
    },
    untilStopped() {
      const stop = new AbortController();
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
      return stop.signal;
    },
  };
}

function ask(question: string, echo: Writable): Promise<string> {
  const isPerson = process.stdin.isTTY === true;
  if (isPerson) process.stderr.write(question);
  const lines = createInterface({ input: process.stdin, output: echo, terminal: isPerson });
  return new Promise((resolve, reject) => {
    lines.once('line', line => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', () => process.exit(130));
    lines.once('close', () => {
      if (isPerson) process.stderr.write('\n');
      reject(new Error('No password was given.'));
    });
  });
}
