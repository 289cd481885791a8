import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { sluiceCommand } from './executable.ts';
import { TEST_SECRET_KEY } from './service.ts';

/** The server as an operator runs it: a process of its own, on any free port. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  /** Everything that it has printed. */
  output(): string;
  /** Of that, what came on the standard error. */
  stderr(): string;
  /** How it ended: its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

export interface ProcessOptions {
  readonly directory: string;
  readonly settings?: Record<string, string>;
  /** What runs in place of `sluice serve`. */
  readonly entry?: readonly string[];
  /** A command that runs the server's: `prlimit …`, `strace …`. It must become the server, or keep its pid. */
  readonly under?: readonly string[];
}

/** A process that did not get as far as serving. */
export class NotStarted extends Error {
  constructor(
    readonly end: number | NodeJS.Signals,
    readonly output: string,
    readonly stderr: string,
  ) {
    super(`The server ended with ${end} before it was ready: ${output}`);
  }
}

/** The kernel ends the server with the process that started it, also where that one is killed and can end nothing. */
export const ENDING_WITH_ITS_PARENT = ['setpriv', '--pdeathsig', 'SIGKILL'];

const running = new Set<ChildProcess>();
// Where a test ends by itself, its servers are gone before whatever they use.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function startProcess(options: ProcessOptions): Promise<ServerProcess> {
  const [command = '', ...args] = [
    ...ENDING_WITH_ITS_PARENT,
    ...(options.under ?? []),
    ...(options.entry ?? [...sluiceCommand(options.settings), 'serve']),
  ];
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      // As an operator's process ends up with; given at once, it spares each start a second one.
      BUN_CONFIG_MAX_HTTP_REQUESTS: '20000',
      SLUICE_PORT: '0',
      SLUICE_HOST: '127.0.0.1',
      SLUICE_DATA_DIR: options.directory,
      SLUICE_SECRET_KEY: TEST_SECRET_KEY,
      SLUICE_LOG_LEVEL: 'error',
      ...options.settings,
    },
  });
  running.add(child);
  let [output, stderr] = ['', ''];
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return (code ?? signal) as number | NodeJS.Signals;
  });
  const port = await new Promise<number>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      const announced = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (announced) resolve(Number(announced));
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', reject);
    void ended.then(end => reject(new NotStarted(end, output, stderr)));
  });
  return {
    pid: child.pid ?? 0,
    port,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    stderr: () => stderr,
    ended,
    kill: signal => void child.kill(signal),
  };
}

/** The start that must fail: how it ended, and what it said. */
export async function refusedStart(options: ProcessOptions): Promise<NotStarted> {
  const started = await startProcess(options).catch((error: unknown) => error);
  if (started instanceof NotStarted) return started;
  if (started instanceof Error) throw started;
  (started as ServerProcess).kill('SIGKILL');
  throw new Error('The server started, and should not have.');
}

/**
 * Runs the server under strace, which tampers with its system calls: `fsync:error=EIO:when=3` and the like. With
 * -D the tracer stands aside, so that the process started here is the server itself. Each thread counts its own calls.
 */
export const tampering = (...injections: readonly string[]): string[] =>
  tamperingInto('/dev/null', ...injections);

/** The calls are written to this file; those that were tampered with say so. */
export const tamperingInto = (file: string, ...injections: readonly string[]): string[] => [
  'strace',
  '-D',
  '-f',
  '-qq',
  // Makes every other call as fast as ever; with it strace 6.1 miscounts for signals, though.
  ...(injections.some(injection => injection.includes('signal=')) ? [] : ['--seccomp-bpf']),
  ...['-o', file],
  ...['-e', `trace=${injections.map(injection => injection.split(':')[0]).join(',')}`],
  ...injections.flatMap(injection => ['-e', `inject=${injection}`]),
];
