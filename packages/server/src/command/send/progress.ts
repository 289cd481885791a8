/** How far a file has come: a bar where its size is known, and how fast it goes. */
export interface SendProgress {
  read(bytes: number): void;
  taken(events: number): void;
  refused(): void;
  /** Shows it, now and then at most; empty it once it is over. */
  show(): void;
  summary(): {
    readonly sent: number;
    readonly refused: number;
    readonly seconds: number;
    readonly rate: number;
  };
}

const SHOWN_EVERY_MS = 200;
const BAR = 24;

export function createSendProgress(options: {
  /** Null where nobody knows. */
  readonly size: number | null;
  now(): number;
  print(line: string): void;
}): SendProgress {
  const { size, now, print } = options;
  const began = now();
  let [bytes, sent, refused, shownAt] = [0, 0, 0, Number.NEGATIVE_INFINITY];

  const rate = () => Math.round(sent / Math.max(0.001, (now() - began) / 1_000));

  function line(): string {
    const counts = `${sent.toLocaleString('en')} sent, ${rate().toLocaleString('en')}/s`;
    const bad = refused === 0 ? '' : `, ${refused.toLocaleString('en')} refused`;
    if (size === null || size === 0) return `${counts}${bad}`;
    const part = Math.min(1, bytes / size);
    const full = Math.round(part * BAR);
    return `[${'#'.repeat(full)}${' '.repeat(BAR - full)}] ${Math.floor(part * 100)}%  ${counts}${bad}`;
  }

  return {
    read(more) {
      bytes += more;
    },
    taken(events) {
      sent += events;
    },
    refused() {
      refused++;
    },
    show() {
      if (now() - shownAt < SHOWN_EVERY_MS) return;
      shownAt = now();
      print(line());
    },
    summary: () => ({ sent, refused, seconds: Math.round(now() - began) / 1_000, rate: rate() }),
  };
}
