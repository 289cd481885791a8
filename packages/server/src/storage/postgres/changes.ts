import type pg from 'pg';
import type { ChangeListener, ConfigurationChange, WorkKind } from '../../core/stores/change.ts';
import { within } from '../../core/work/within.ts';
import type { Primary } from './primary.ts';
import { standbysWaitedFor } from './replicas.ts';

/**
 * The feed by which nodes receive each other's changes. One connection listens; it is asked for a sign of life every
 * second, because a connection can be dead for minutes without an error; by that it is also found out soon that the
 * server is gone and another has taken its place, whoever else waits for an answer of it. While there is no recent sign, `isLive` is
 * false and nobody may trust what was read before. When the connection is lost it is opened again, at growing
 * intervals, and then every listener is notified that changes may have been missed.
 */
interface ChangeFeed {
  isLive(): boolean;
  close(): Promise<void>;
}

export const CHANGES_CHANNEL = 'sluice_configuration';
/** Hints at work have a channel of their own: nodes of before would take them for changes. */
export const WORK_CHANNEL = 'sluice_work';

const SIGN_OF_LIFE_MS = 1_000;
/** A sign older than this is no longer one; longer than the wait for an answer, so that one late answer is none. */
const RECENT_MS = 4_000;
const ANSWER_WITHIN_MS = 2_500;
const LONGEST_PAUSE_MS = 600;
const GOODBYE_MS = 500;

export async function listenForChanges(
  primary: Primary,
  onChange: ChangeListener,
  onWork: (what: WorkKind) => void,
  /** So many standbys must be waited for; where the server stops to, no connection to it is used any more. */
  replicas: number,
): Promise<ChangeFeed> {
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let closed = false;
  let wake = () => {};
  const isLive = () => performance.now() - confirmedAt < RECENT_MS;

  const pause = (ms: number) =>
    new Promise<void>(resolve => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (closed) wake();
    });

  async function open(): Promise<pg.Client> {
    const client = await primary.connect({
      name: 'sluice changes',
      statementMs: 0,
      answerMs: ANSWER_WITHIN_MS,
    });
    const lost = () => {
      confirmedAt = Number.NEGATIVE_INFINITY;
      // The next sign of life is asked for at once, and fails.
      wake();
    };
    client
      .on('error', lost)
      .on('end', lost)
      .on('notification', ({ channel, payload }) => {
        if (channel === WORK_CHANNEL) onWork(payload as WorkKind);
        else onChange(readChange(payload));
      });
    try {
      await client.query(`LISTEN ${CHANGES_CHANNEL}; LISTEN ${WORK_CHANNEL}`);
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    confirmedAt = performance.now();
    onChange(null);
    return client;
  }

  /**
   * Returns when the connection gives no sign any more, or when it is no longer wanted: whether it fell silent, and was
   * not just closed.
   */
  async function watch(client: pg.Client): Promise<boolean> {
    let askedAt = Number.POSITIVE_INFINITY;
    try {
      while (!closed) {
        await pause(SIGN_OF_LIFE_MS);
        if (closed) break;
        const hadGap = !isLive();
        askedAt = performance.now();
        const { rows } = await client.query<{ names: string }>(
          `SELECT current_setting('synchronous_standby_names') AS names`,
        );
        if (standbysWaitedFor(rows[0]?.names ?? '') < replicas) primary.cutAll();
        confirmedAt = performance.now();
        if (hadGap) onChange(null);
      }
    } catch {
      confirmedAt = Number.NEGATIVE_INFINITY;
      primary.doubt(client);
    }
    const wasSilent = performance.now() - askedAt >= ANSWER_WITHIN_MS;
    await end(client);
    return wasSilent;
  }

  async function keepListening(first: pg.Client): Promise<void> {
    let client: pg.Client | null = first;
    let failures = 0;
    let wasSilent = false;
    while (!closed) {
      if (client) {
        wasSilent = await watch(client);
        failures = 0;
      }
      if (!closed) await pause(Math.min(LONGEST_PAUSE_MS, 50 * 2 ** failures) * (0.5 + Math.random()));
      failures++;
      client = closed ? null : await open().catch(() => null);
      if (client !== null && wasSilent) primary.replaceAllBut(client);
    }
    if (client !== null) await end(client);
  }

  const listening = keepListening(await open());
  return {
    isLive,
    async close() {
      closed = true;
      wake();
      await listening;
    },
  };
}

/** A server that is gone does not say goodbye. */
const end = (client: pg.Client) =>
  within(
    client.end().catch(() => {}),
    GOODBYE_MS,
  );

/** A node of the first edition says only that something has changed. */
function readChange(payload: string | undefined): ConfigurationChange | null {
  return payload ? (JSON.parse(payload) as ConfigurationChange) : null;
}
