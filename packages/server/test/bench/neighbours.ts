import { days } from '../../src/core/clock.ts';
import { newId } from '../../src/core/ids.ts';
import { hashSecret, newSecret } from '../../src/core/secrets/vault.ts';
import type { EveryStore } from '../support/every-store.ts';
import { costFigures, together } from './cost.ts';
import { startFeed } from './feed.ts';
import { atLeast, outOf, type Section } from './figure.ts';
import { type Meter, meterOnSqlite, type Spent } from './meter.ts';
import { type Measured, type MeasuredSluice, startReceiver, startSluice } from './servers.ts';

const DESTINATIONS = 300;
const DESTINATIONS_A_PIPELINE = 100;
const CHANGES_A_SECOND = 35;
const EVENTS_WAITING = 20;
const WINDOW_MS = 6_000;
const ROUNDS = 4;

/** What one organisation's changes of its configuration cost another one's deliveries. */
export const neighboursSection: Section = {
  name: 'neighbours',
  about: `Deliveries to ${DESTINATIONS} destinations of one organisation while another renames a key ${CHANGES_A_SECOND} times a second`,
  minutes: 1.5,
  async run() {
    const session = newSecret('session');
    let keyId = '';
    const receiver = await startReceiver();
    const sluice = await startSluice({
      async prepare(storage) {
        keyId = await addNeighbour(storage, session);
      },
    });
    await routeToAll(sluice, receiver).catch(async (error: unknown) => {
      await sluice.stop();
      await receiver.stop();
      throw error;
    });
    let received = 0;
    const look = setInterval(async () => {
      received = await readReceived(receiver);
    }, 50);
    const feed = startFeed(
      { ...sluice, load: { batch: 1, feeders: 4 } },
      {
        most: EVENTS_WAITING,
        waiting: sent => sent - received / DESTINATIONS,
      },
    );
    const rename = (n: number) => renameKey(sluice.url, session, keyId, `key ${n}`);
    try {
      await Bun.sleep(WINDOW_MS);
      const meter = meterOnSqlite(sluice);
      const windows = { alone: [] as Spent[], beside: [] as Spent[] };
      for (let round = 0; round < ROUNDS; round++) {
        windows.alone.push(await watch(receiver, meter));
        const neighbour = keepRenaming(rename);
        windows.beside.push(await watch(receiver, meter));
        await neighbour.stop();
      }
      const [alone, beside] = [together(windows.alone), together(windows.beside)];
      const rate = ({ events }: Spent) => events / ((ROUNDS * WINDOW_MS) / 1_000);
      const note = outOf(rate(beside), rate(alone), 'deliveries/s');
      return [
        atLeast('its rate beside the neighbour, over its rate alone', rate(beside) / rate(alone), 0.95, note),
        ...costFigures('alone', alone, { unit: 'delivery' }),
        ...costFigures('beside the neighbour', beside, { unit: 'delivery' }),
      ];
    } finally {
      await feed.stop();
      clearInterval(look);
      await sluice.stop();
      await receiver.stop();
    }
  },
};

/** A second organisation with a key and somebody who is logged in there; answers the key's id. */
async function addNeighbour(storage: EveryStore, session: string): Promise<string> {
  const now = Date.now();
  const [orgId, userId, keyId] = [newId('org'), newId('usr'), newId('key')];
  const org = { id: orgId, name: 'Neighbour', retentionDays: null, searchableTraits: [], createdAt: now };
  const codeHash = hashSecret(newSecret('inv'));
  const invitation = { id: newId('inv'), orgId, email: 'neighbour@example.com', role: 'owner' } as const;
  await storage.createOrganisation(org, userId);
  const times = { createdAt: now, expiresAt: now + days(1) };
  await storage.createInvitation({ ...invitation, codeHash, ...times, invitedBy: null });
  const account = { id: userId, email: invitation.email, passwordHash: '', createdAt: now };
  await storage.acceptInvitation(codeHash, now, account);
  await storage.beginSession(
    {
      tokenHash: hashSecret(session),
      userId,
      orgId,
      createdAt: now,
      expiresAt: now + days(1),
    },
    '',
  );
  const [hash, prefix] = [hashSecret(newSecret('sk')), 'sk_'];
  const dates = { createdAt: now, lastUsedAt: null, revokedAt: null };
  await storage.createApiKey({ id: keyId, orgId, name: 'key', prefix, hash, ...dates });
  return keyId;
}

async function routeToAll(sluice: MeasuredSluice, receiver: Measured): Promise<void> {
  const destinations: { id: string }[] = [];
  for (let n = 0; n < DESTINATIONS; n++) {
    const config = { url: `${receiver.url}/hook`, auth: { mode: 'none' } };
    const destination = { kind: 'webhook', name: `Receiver ${n}`, config };
    destinations.push({ id: (await sluice.post<{ id: string }>('/destinations', destination)).id });
  }
  const { id: source } = await sluice.post<{ id: string }>('/sources', {
    kind: 'sdk',
    name: 'All',
    match: '*',
  });
  for (let from = 0; from < DESTINATIONS; from += DESTINATIONS_A_PIPELINE) {
    const some = destinations.slice(from, from + DESTINATIONS_A_PIPELINE);
    const pipeline = { sources: [source], steps: [], destinations: some, enabled: true };
    await sluice.post('/pipelines', { name: `To ${from} and on`, ...pipeline });
  }
}

function keepRenaming(rename: (n: number) => Promise<void>): { stop(): Promise<void> } {
  let isOver = false;
  const renaming = (async () => {
    const began = performance.now();
    for (let n = 0; !isOver; n++) {
      await rename(n);
      await Bun.sleep(Math.max(0, began + (n * 1_000) / CHANGES_A_SECOND - performance.now()));
    }
  })();
  return {
    async stop() {
      isOver = true;
      await renaming;
    },
  };
}

async function renameKey(url: string, session: string, id: string, name: string): Promise<void> {
  const response = await fetch(`${url}/dashboard/api/keys/${id}`, {
    method: 'PATCH',
    headers: {
      Cookie: `sluice_session=${session}`,
      'X-Sluice-CSRF': '1',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ name }),
  });
  if (!response.ok) throw new Error(`The key was not renamed: ${await response.text()}`);
  await response.arrayBuffer();
}

/** The deliveries that reach the receiver in a window, and what they cost. */
async function watch(receiver: Measured, meter: Meter): Promise<Spent> {
  const stopMeter = await meter.start();
  const before = await readReceived(receiver);
  await Bun.sleep(WINDOW_MS);
  return stopMeter((await readReceived(receiver)) - before);
}

async function readReceived(receiver: Measured): Promise<number> {
  const response = await fetch(`${receiver.url}/received`);
  return ((await response.json()) as { received: number }).received;
}
