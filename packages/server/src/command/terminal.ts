import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Where a command speaks, and listens. */
export interface Terminal {
  say(line: string): void;
  complain(line: string): void;
  /** Typed by a person without being shown, or the first line of what is piped in. */
  askSecret(question: string): Promise<string>;
}

export const systemTerminal: Terminal = {
  say: line => console.log(line),
  complain: line => console.error(line),
  askSecret(question) {
    const isPerson = process.stdin.isTTY === true;
    if (isPerson) process.stderr.write(question);
    // Readline echoes what is typed to its output, so it is given one that keeps nothing.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: process.stdin, output: nowhere, terminal: isPerson });
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
  },
};
