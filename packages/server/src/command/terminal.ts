import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { spellForeignControls } from './control-characters.ts';

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
  let piped: (() => Promise<string>) | null = null;
  const nextLine = () => {
    piped ??= readPipedLines();
    return piped();
  };
  return {
    say(line) {
      clear();
      console.log(spellForeignControls(line));
    },
    complain(line) {
      clear();
      console.error(spellForeignControls(line));
    },
    progress(line) {
      if (process.stderr.isTTY !== true) return;
      clear();
      process.stderr.write(spellForeignControls(line));
      hasProgress = line !== '';
    },
    paint: (colour, text) =>
      process.stdout.isTTY === true ? styleText(colour, text, { stream: process.stdout }) : text,
    ask: question => (isPerson() ? ask(question, process.stderr) : nextLine()),
    // Readline echoes what is typed to its output, so it is given one that keeps nothing.
    askSecret: question =>
      isPerson() ? ask(question, new Writable({ write: (_chunk, _encoding, done) => done() })) : nextLine(),
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

const isPerson = (): boolean => process.stdin.isTTY === true;

const noMoreInput = () => new Error('No password was given.');

function ask(question: string, echo: Writable): Promise<string> {
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin, output: echo, terminal: true });
  return new Promise((resolve, reject) => {
    lines.once('line', line => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', () => process.exit(130));
    lines.once('close', () => {
      process.stderr.write('\n');
      reject(noMoreInput());
    });
  });
}

/** One reader for all questions: it reads ahead, and a second one would miss what the first has taken. */
function readPipedLines(): () => Promise<string> {
  const lines: Interface = createInterface({ input: process.stdin, terminal: false });
  const read: string[] = [];
  let isOver = false;
  let wake = () => {};
  lines.on('line', line => {
    read.push(line);
    wake();
  });
  lines.once('close', () => {
    isOver = true;
    wake();
  });
  return async () => {
    if (!isOver) lines.resume();
    while (read.length === 0 && !isOver) {
      await new Promise<void>(resolve => {
        wake = resolve;
      });
    }
    // What nobody waits for must not keep the process.
    if (!isOver) lines.pause();
    const line = read.shift();
    if (line === undefined) throw noMoreInput();
    return line;
  };
}
