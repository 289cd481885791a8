/** Asks a server whether it is alive, one question after the other, and says how long the slowest answer took. */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

let longestMs = 0;
let asked = 0;
let isRunning = false;
let waiting: ((ms: number) => void) | null = null;

async function run(url: string): Promise<void> {
  for (;;) {
    const began = performance.now();
    await (await fetch(`${url}/healthz`)).arrayBuffer();
    longestMs = Math.max(longestMs, performance.now() - began);
    asked++;
    // Whoever asks is told once a question that began after theirs was answered.
    if (waiting !== null && asked >= 2) {
      waiting(longestMs);
      waiting = null;
    }
  }
}

self.onmessage = ({ data }) => {
  const message = data as { kind: 'reset'; url: string } | { kind: 'longest' };
  const isReset = message.kind === 'reset';
  asked = 0;
  waiting = ms => {
    if (isReset) longestMs = 0;
    self.postMessage(ms);
  };
  if (isReset && !isRunning) {
    isRunning = true;
    void run(message.url);
  }
};

export {};
