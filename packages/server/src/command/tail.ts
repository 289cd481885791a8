import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventSummary } from '@sluice/contract/dashboard-events';
import { eventState } from '@sluice/contract/event';
import { LOCAL_SOCKET, LOCAL_TAIL_PATH } from '@sluice/contract/local';
import { readEvents } from './client/event-stream.ts';
import { NOT_REACHED, NotReached, readRefusal, serverAddressOf, whyNotReached } from './client/server.ts';
import { type Command, type CommandContext, type CommandOption, type Given, UsageError } from './command.ts';
import { spellControls } from './control-characters.ts';
import { explain } from './explain.ts';
import { logIn } from './tail/log-in.ts';
import type { Terminal } from './terminal.ts';

const filters: readonly CommandOption[] = [
  { name: 'state', value: 'STATE', meaning: 'Only events in this state.', choices: eventState.options },
  { name: 'type', value: 'TYPE', meaning: 'Only events of this type.' },
  { name: 'source', value: 'ID', meaning: 'Only events of this source.' },
  { name: 'pipeline', value: 'ID', meaning: 'Only events that went through this pipeline.' },
  { name: 'destination', value: 'ID', meaning: 'Only events that went to this destination.' },
  { name: 'entity', value: 'KIND:ID', meaning: 'Only events of this entity.' },
  { name: 'text', value: 'TEXT', meaning: 'Only events that hold this text.' },
];

const PAUSE_MS = 1_000;

/** `sluice tail`: events as they come in. */
export const tail: Command = {
  name: 'tail',
  summary: 'Show events as they come in, and again when their state changes.',
  about: [
    'On the machine of the service it reads through the socket in the data directory. From anywhere else, with --url, it logs in to the dashboard: it prompts for the email and password, or takes them from SLUICE_EMAIL and SLUICE_PASSWORD. An API key does not work here.',
  ],
  options: [
    { name: 'url', value: 'URL', meaning: 'The address of a service elsewhere.', setting: 'SLUICE_URL' },
    {
      name: 'organisation',
      value: 'NAME',
      meaning: 'Which organisation, by name or id, where there are several.',
    },
    ...filters,
  ],
  exits: {
    0: 'it was stopped',
    1: 'the login or the filter was refused',
    2: 'the service could not be reached',
  },
  examples: [
    'tail',
    'tail --type order.paid --state failed',
    'tail --url https://sluice.example.com --json | jq .type',
  ],

  async run(given, context) {
    const { terminal } = context;
    const signal = terminal.untilStopped();
    const open = await openingOf(given, context).catch((error: unknown) => {
      if (!(error instanceof NotReached)) throw error;
      terminal.complain(error.message);
      return null;
    });
    if (open === null) return NOT_REACHED;
    const show = createShow(given, terminal);
    let afterId: string | null = null;
    let hasConnected = false;
    while (!signal.aborted) {
      try {
        const response = await open(afterId, signal);
        if (!response.ok) {
          const { status, message } = await readRefusal(response);
          if (status < 500) {
            terminal.complain(message);
            return 1;
          }
          throw new NotReached(message);
        }
        hasConnected = true;
        for await (const { event, data, id } of readEvents(
          (response.body ?? []) as AsyncIterable<Uint8Array>,
        )) {
          if (event !== 'events') continue;
          afterId = id ?? afterId;
          show(JSON.parse(data) as TailMessage);
        }
      } catch (error) {
        if (signal.aborted) break;
        terminal.complain(explain(error));
        if (!hasConnected) return NOT_REACHED;
      }
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
    return 0;
  },
};

interface TailMessage {
  readonly rows: readonly EventSummary[];
  readonly skipped: number;
}

type Open = (afterId: string | null, signal: AbortSignal) => Promise<Response>;

/** Through the socket where there is one and nobody names another service. */
async function openingOf(given: Given, { settings, terminal }: CommandContext): Promise<Open> {
  const query = (afterId: string | null, organisation: string | undefined) => {
    const asked = filters.map(({ name }) => [name, given.value(name)] as const);
    const all = [...asked, ['after_id', afterId ?? undefined], ['organisation', organisation]] as const;
    return new URLSearchParams(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  };
  const organisation = given.value('organisation');
  const url = given.value('url');
  if (url !== undefined) {
    const cookie = await logIn(url, organisation, { settings, terminal });
    return (afterId, signal) =>
      ask(url, serverAddressOf(url, `/dashboard/api/live/events?${query(afterId, undefined)}`), {
        headers: { accept: 'text/event-stream', cookie },
        signal,
      });
  }
  const socket = join(resolve(settings.SLUICE_DATA_DIR), LOCAL_SOCKET);
  if (!existsSync(socket)) {
    throw new UsageError(
      `No service runs on ${resolve(settings.SLUICE_DATA_DIR)}. Is SLUICE_DATA_DIR right? For a service elsewhere, or one on PostgreSQL, give --url.`,
    );
  }
  const local = 'http://localhost';
  return (afterId, signal) =>
    ask(local, `${local}${LOCAL_TAIL_PATH}?${query(afterId, organisation)}`, { unix: socket, signal });
}

const ask = (server: string, address: string, init: BunFetchRequestInit): Promise<Response> =>
  fetch(address, init).catch((error: unknown) => {
    throw new NotReached(whyNotReached(server, error));
  });

const colours = {
  accepted: 'dim',
  processed: 'green',
  dropped: 'yellow',
  unrouted: 'yellow',
  failed: 'red',
} as const;

const createShow =
  (given: Given, terminal: Terminal) =>
  ({ rows, skipped }: TailMessage): void => {
    if (skipped > 0) terminal.complain(`${skipped.toLocaleString('en')} came faster than they can be shown.`);
    for (const row of rows) {
      if (given.has('json')) {
        terminal.say(JSON.stringify(row));
        continue;
      }
      const { received_at: at, id, state, type, sources } = row;
      const from = spellControls(sources.map(({ name }) => name).join(', '));
      const shown = terminal.paint(colours[state], state.padEnd(9));
      terminal.say(
        `${at.slice(11, 19)}  ${shown}  ${id}  ${spellControls(type)}${from === '' ? '' : `  ${from}`}`,
      );
    }
  };
