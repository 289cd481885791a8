import { setTimeout as sleep } from 'node:timers/promises';
import { seconds } from '../core/clock.ts';
import { isStorageAway } from '../core/errors.ts';
import type { Settings } from '../settings.ts';
import { hostAndPort, readConnections } from '../storage/postgres/connection.ts';
import { type Command, report } from './command.ts';
import { explain } from './explain.ts';
import type { Terminal } from './terminal.ts';

interface Service {
  readonly port: number;
  /** The one-time code that opens the set-up page; null once there is a user. */
  readonly setupCode?: string | null;
  /** Goes on serving, and has requests sent elsewhere. */
  drain(): void;
  stop(): Promise<void>;
}

interface Timeouts {
  /** After a fatal fault: time for the 503s of what was under way to leave the machine. */
  readonly lastAnswersMs: number;
  /** A stop is promised within ten seconds; past this, what hangs is left behind. */
  readonly stopMs: number;
}

const defaultTimeouts: Timeouts = { lastAnswersMs: 250, stopMs: 9_000 };

/** Serves until it is told to stop, or must. The wiring is handed in, since nothing but main knows it. */
export const createServe = (
  start: (settings: Settings, options: { onFatal(reason: string): void }) => Promise<Service>,
  timeouts: Timeouts = defaultTimeouts,
): Command => ({
  name: 'serve',
  summary: 'Start the service and serve until it is stopped.',
  exits: { 0: 'it was stopped', 1: 'it could not start, or had to end' },

  async run(given, { settings, terminal }) {
    const { promise: left, resolve: leave } = Promise.withResolvers<number>();
    let service: Service | undefined;
    let stopping = false;

    // Shells and npm each pass a Ctrl-C on, so the same input may come twice.
    const stop = () => {
      if (stopping) return;
      stopping = true;
      if (service) void leaveInOrder(service).then(leave);
      else leave(0);
    };
    const leaveInOrder = async (running: Service) => {
      const say = given.has('json') ? () => {} : terminal.say;
      await drained(running, settings.SLUICE_DRAIN_SECONDS, say);
      say('Stopping: finishing the requests that were accepted.');
      return stopWithin(timeouts.stopMs, running, terminal);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);

    const starting = start(settings, {
      onFatal(reason) {
        terminal.complain(reason);
        setTimeout(() => leave(1), timeouts.lastAnswersMs);
      },
    });
    starting.then(
      started => {
        service = started;
        // In one piece, so that whoever waits for the address has the code as well.
        if (!stopping) report(given, terminal, readiness(settings, started), [welcome(settings, started)]);
      },
      (error: unknown) => {
        terminal.complain(whyNot(error, settings));
        leave(1);
      },
    );
    return left;
  },
});

async function drained(service: Service, forSeconds: number, say: Terminal['say']): Promise<void> {
  service.drain();
  if (forSeconds === 0) return;
  say(`Draining: requests are served for ${forSeconds} s more, and /readyz answers 503.`);
  await sleep(seconds(forSeconds));
}

async function stopWithin(ms: number, service: Service, terminal: Terminal): Promise<number> {
  const overdue = Promise.withResolvers<number>();
  const timer = setTimeout(() => {
    terminal.complain(
      'Something did not stop in time and was abandoned. Nothing that was acknowledged is lost.',
    );
    overdue.resolve(0);
  }, ms);
  const stopped = service.stop().then(
    () => 0,
    (error: unknown) => {
      terminal.complain(explain(error));
      return 1;
    },
  );
  const code = await Promise.race([stopped, overdue.promise]);
  clearTimeout(timer);
  return code;
}

/** The same for programs. */
const readiness = (settings: Settings, { port, setupCode = null }: Service) => ({
  url: serverAddressOf(settings, port),
  port,
  setup_code: setupCode,
});

/** What a newcomer needs next. */
export function welcome(settings: Settings, service: Service): string {
  const url = serverAddressOf(settings, service.port);
  return [
    '',
    '  Sluice is ready.',
    '',
    `  Dashboard  ${url}/`,
    `  Reference  ${url}/docs`,
    ...(typeof service.setupCode === 'string'
      ? [
          `  Set-up     ${url}/setup#${service.setupCode}`,
          `             or open the dashboard and give it this one-time code: ${service.setupCode}`,
        ]
      : []),
    '',
  ].join('\n');
}

function serverAddressOf(settings: Settings, port: number): string {
  if (settings.SLUICE_BASE_URL) return settings.SLUICE_BASE_URL;
  const host = settings.SLUICE_HOST;
  const isAny = host === '0.0.0.0' || host === '::';
  return `http://${isAny ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The whole story only where it was asked for. */
function whyNot(error: unknown, settings: Settings): string {
  if (settings.SLUICE_LOG_LEVEL === 'debug' && error instanceof Error && error.stack) return error.stack;
  const url = settings.SLUICE_DATABASE_URL;
  if (url !== undefined && isStorageAway(error)) {
    const hosts = readConnections(url).map(hostAndPort).join(', ');
    return `PostgreSQL at ${hosts} became unavailable during the start: its own log says why. Start Sluice again once it accepts writes.`;
  }
  if ((error as { code?: unknown }).code === 'EADDRINUSE') {
    return `Port ${settings.SLUICE_PORT} is in use. Stop what is listening there, or set another with SLUICE_PORT.`;
  }
  return explain(error);
}
