import type { Given } from '../../src/command/command.ts';
import type { Terminal } from '../../src/command/terminal.ts';

/** A terminal nobody sits at, which keeps what is said. */
export interface RecordedTerminal extends Terminal {
  readonly said: string[];
  readonly complaints: string[];
  readonly shown: string[];
  /** What `input` reads, and who answers questions. */
  stop(): void;
  press(key: string): void;
}

export function recordTerminal(
  given: { readonly input?: AsyncIterable<Uint8Array>; readonly answers?: readonly string[] } = {},
): RecordedTerminal {
  const [said, complaints, shown]: string[][] = [[], [], []];
  const answers = [...(given.answers ?? [])];
  const stopping = new AbortController();
  let onKey: (key: string) => void = () => {};
  const answer = async () => {
    const next = answers.shift();
    if (next === undefined) throw new Error('nobody is there');
    return next;
  };
  return {
    said: said ?? [],
    complaints: complaints ?? [],
    shown: shown ?? [],
    say: line => void said?.push(line),
    complain: line => void complaints?.push(line),
    progress: line => void shown?.push(line),
    paint: (_colour, text) => text,
    ask: answer,
    askSecret: answer,
    input: () => given.input ?? (async function* () {})(),
    keys(heard) {
      onKey = heard;
    },
    untilStopped: () => stopping.signal,
    stop: () => stopping.abort(),
    press: key => onKey(key),
  };
}

/** Nothing was typed after the word. */
export const nothingGiven: Given = { argument: undefined, has: () => false, value: () => undefined };
