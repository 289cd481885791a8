import { setTimeout as sleep } from 'node:timers/promises';
import type { ListenDelivery, ListenOutcome } from '@sluice/contract/listen';
import { seconds } from '../core/clock.ts';
import { jittered } from '../core/work/backoff.ts';
import { NOT_REACHED, NotReached } from './client/server.ts';
import { type Command, type Given, UsageError } from './command.ts';
import { spellControls } from './control-characters.ts';
import { holdConnection, PutOff, Refused } from './listen/connection.ts';
import { type Forwarded, forward } from './listen/forward.ts';
import { requireSecret, requireValue } from './read-arguments.ts';
import type { Terminal } from './terminal.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = seconds(30);
/** A connection that has held for this long was a good one: the next break begins with a short pause again. */
const GOOD_MS = seconds(10);

/** `sluice listen`: deliveries of a `listener` destination, handed to a server on this machine. */
export const listen: Command = {
  name: 'listen',
  summary: 'Forward the deliveries of a listener destination to a server on this machine.',
  about: [
    'Create a destination of the kind “Developer’s machine” in the dashboard: it shows the token and this command. Deliveries wait until it is connected. Each is POSTed to the address given, with the headers and the signature of a webhook delivery, and the local server’s response is recorded.',
    'Press r to send the last delivery to the local server again, as it was; the service does not learn of it. It reconnects automatically.',
  ],
  options: [
    { name: 'url', value: 'URL', meaning: 'The address of the service.', setting: 'SLUICE_URL' },
    {
      name: 'token',
      value: 'TOKEN',
      meaning: 'The token of the destination.',
      setting: 'SLUICE_LISTEN_TOKEN',
    },
    { name: 'forward', value: 'URL', meaning: 'Where to: http://localhost:3000/hook.' },
  ],
  exits: {
    0: 'it was stopped',
    1: 'the token is not valid any more, or another listener has connected',
    2: 'the server could not be reached at all',
  },
  examples: [
    'listen --url https://sluice.example.com --token lsn_… --forward http://localhost:3000/hook',
    'listen --forward http://localhost:3000/hook --json | jq .status',
  ],

  async run(given, { terminal }) {
    const url = requireHttp('url', requireValue(listen, given, 'url'));
    const token = requireSecret(listen, given, 'token');
    const to = requireHttp('forward', requireValue(listen, given, 'forward'));
    const signal = terminal.untilStopped();
    const show = createShow(given, terminal);
    let last: ListenDelivery | null = null;

    const handOn = async (delivery: ListenDelivery, isReplay: boolean): Promise<Forwarded> => {
      const forwarded = await forward(delivery, to);
      show(delivery, forwarded, isReplay);
      return forwarded;
    };
    terminal.keys(key => {
      if (key === 'r' && last !== null) void handOn(last, true);
    }, signal);

    let hasConnected = false;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; ) {
      const began = performance.now();
      let leastPauseMs = 0;
      try {
        await holdConnection({
          url,
          token,
          forward: shownAddress(to),
          signal,
          onReady({ destination }) {
            hasConnected = true;
            if (!given.has('json')) terminal.say(`Listening as “${destination.name}”, forwarding to ${to}.`);
          },
          deliver(delivery) {
            last = delivery;
            return handOn(delivery, false);
          },
          onError: reason => terminal.complain(reason),
        });
      } catch (error) {
        if (signal.aborted) break;
        if (error instanceof Refused) {
          terminal.complain(error.message);
          return 1;
        }
        if (error instanceof PutOff) leastPauseMs = error.waitMs;
        if (error instanceof NotReached && !hasConnected) {
          terminal.complain(error.message);
          return NOT_REACHED;
        }
        terminal.complain(error instanceof Error ? error.message : String(error));
      }
      if (performance.now() - began > GOOD_MS) pauseMs = FIRST_PAUSE_MS;
      if (!signal.aborted && !given.has('json'))
        terminal.complain('The connection ended; connecting again …');
      const wait = Math.max(leastPauseMs, jittered(pauseMs, Math.random));
      await sleep(wait, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
    return 0;
  },
};

function requireHttp(option: string, value: string): string {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw new UsageError(`--${option} must be an http:// or https:// URL.`);
}

/** Without what may be secret in it. */
function shownAddress(to: string): string {
  const { origin, pathname } = new URL(to);
  return `${origin}${pathname}`;
}

const createShow =
  (given: Given, terminal: Terminal) =>
  (delivery: ListenDelivery, { outcome, durationMs }: Forwarded, isReplay: boolean): void => {
    const { id, attempt, event } = delivery;
    const at = new Date().toISOString();
    if (given.has('json')) {
      const facts = { at, delivery: id, event: event.id, type: event.type, attempt, replay: isReplay };
      terminal.say(JSON.stringify({ ...facts, duration_ms: durationMs, ...outcome }));
      return;
    }
    const what = `${at.slice(11, 19)}  ${spellControls(event.type)}  ${event.id}${isReplay ? '  (replay)' : ''}`;
    const tries = attempt > 1 && !isReplay ? `, attempt ${attempt}` : '';
    terminal.say(`${what}  ${toldOf(outcome, terminal)} in ${durationMs} ms${tries}`);
  };

function toldOf(outcome: ListenOutcome, terminal: Terminal): string {
  if ('code' in outcome) return terminal.paint('red', `${outcome.code}: ${spellControls(outcome.message)}`);
  const isTaken = outcome.status >= 200 && outcome.status < 300;
  return terminal.paint(isTaken ? 'green' : 'red', String(outcome.status));
}
