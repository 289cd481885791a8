import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { temporaryDirectory } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';
import { systemClock } from '../core/clock.ts';
import { Problem } from '../core/errors.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import type { UpkeepStore } from '../core/stores/upkeep.ts';
import { VERSION } from '../core/version.ts';
import { createSignal } from '../core/work/signal.ts';
import { readSettings } from '../settings.ts';
import { openStorage } from '../storage/open.ts';
import { createNodes, type Nodes } from './nodes.ts';

/** The life of a node on real storage, whose heartbeats are answered as the test says. */

let directory: string;
let engine: StorageEngine;
let now: number;
let nodes: Nodes[];
let dropped: number;
let held: string[];
const done = { accepted: 0, processed: 0, delivered: 0 };
const counts = { nodeDied: 0, rejoined: 0 };

beforeEach(async () => {
  directory = temporaryDirectory();
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  now = 1_000_000;
  nodes = [];
  dropped = 0;
  held = [];
  Object.assign(counts, { nodeDied: 0, rejoined: 0 });
});
afterEach(async () => {
  await Promise.all(nodes.map(node => node.stop()));
  await engine.close();
  rmSync(directory, { recursive: true });
});

function start(upkeep: Partial<UpkeepStore> = {}, isShared = true): Nodes {
  const created = createNodes(
    {
      clock: systemClock,
      settings: readSettings({ SLUICE_DATA_DIR: directory, SLUICE_ROLES: 'ingest,process' }),
      logger: { warn() {} } as unknown as Parameters<typeof createNodes>[0]['logger'],
      warn: () => () => {},
      isStopping: () => false,
      eventsDue: createSignal(),
      deliveriesDue: createSignal(),
    },
    {
      engine: {
        ...engine,
        capabilities: { ...engine.capabilities, isShared },
        upkeep: { ...engine.upkeep, ...upkeep },
      },
    },
    {
      metrics: {
        nodeDied: () => counts.nodeDied++,
        rejoined: () => counts.rejoined++,
        totals: () => ({ ...done }),
      },
    },
    () => now,
  );
  created.addHolder({ heldTokens: () => held, dropClaims: () => dropped++ });
  nodes.push(created);
  created.start();
  return created;
}

const aNode = (id: string) => ({ id, roles: [], version: '', host: '' });
const joined = (node: Nodes) => until(() => node.newToken() !== null, 'It does not join.');
const nodeOf = (token: string | null) => token?.split(' ')[0];

test('a node has tokens from when it has joined, each its own, and leaves with its stop', async () => {
  const node = start();
  expect(node.newToken()).toBeNull();
  await joined(node);
  const [one, other] = [node.newToken(), node.newToken()];
  expect(nodeOf(one)).toStartWith('node_');
  expect([nodeOf(one) === nodeOf(other), one === other]).toEqual([true, false]);
  expect((await engine.upkeep.listClaims()).nodes).toEqual([nodeOf(one) ?? '']);
  expect([node.count(), node.withRole('process'), node.withRole('deliver')]).toEqual([1, 1, 1]);
  await node.stop();
  expect([node.newToken(), (await engine.upkeep.listClaims()).nodes]).toEqual([null, []]);
});

test('a node that is stopped while it joins leaves no timer behind', async () => {
  const made = spyOn(globalThis, 'setInterval');
  const cleared = spyOn(globalThis, 'clearInterval');
  try {
    const { promise: mayJoin, resolve: goOn } = Promise.withResolvers<void>();
    let isJoining = false;
    const node = start({
      async join(...args) {
        isJoining = true;
        await mayJoin;
        return engine.upkeep.join(...args);
      },
    });
    await until(() => isJoining, 'It does not join.');
    const stopped = node.stop();
    goOn();
    await stopped;
    const timers = made.mock.results.map(({ value }) => value);
    expect(timers).toHaveLength(2);
    const ended = new Set<unknown>(cleared.mock.calls.map(([timer]) => timer));
    expect(timers.filter(timer => !ended.has(timer))).toEqual([]);
  } finally {
    made.mockRestore();
    cleared.mockRestore();
  }
});

test('a node that is not heard claims nothing from shortly before others may declare it dead', async () => {
  let isAway = false;
  const node = start({
    heartbeat: (...args) =>
      isAway ? Promise.reject(new Problem('storage_unavailable')) : engine.upkeep.heartbeat(...args),
  });
  await joined(node);
  isAway = true;
  const before = node.newToken();
  now += 13_900;
  expect(nodeOf(node.newToken())).toBe(nodeOf(before) ?? '');
  now += 200;
  expect(node.newToken()).toBeNull();
  // It is heard in time after all, and goes on as who it was.
  isAway = false;
  await joined(node);
  expect([nodeOf(node.newToken()), dropped]).toEqual([nodeOf(before) ?? '', 0]);
});

test('a node that was declared dead drops its claims before it joins again, as another one', async () => {
  let droppedBefore: number | null = null;
  const node = start({
    join(...args) {
      droppedBefore = dropped;
      return engine.upkeep.join(...args);
    },
  });
  await joined(node);
  const before = nodeOf(node.newToken()) ?? '';
  await engine.upkeep.leave(before);
  now += 5_000;
  await until(() => counts.rejoined === 1, 'It does not find out.');
  await joined(node);
  expect([dropped, droppedBefore]).toEqual([1, 1]);
  expect(nodeOf(node.newToken())).not.toBe(before);
  expect((await engine.upkeep.listClaims()).nodes).toEqual([nodeOf(node.newToken()) ?? '']);
});

const claimLabel = (key: string, token: string) =>
  engine.eventQueue.claimLabel('org', key, { token, now: 0, leaseMs: 1_000_000 });
const claimJob = (token: string) =>
  engine.jobs.claimJob(['replay'], { token, now: Date.now(), leaseMs: 1_000_000 });

test('what the dead had claimed is free at once; what is held by the living is not', async () => {
  await claimLabel('lost', 'first-edition-token');
  await engine.upkeep.join(aNode('other'), false);
  await claimLabel('kept', 'other 1');
  const silent = new Set<string>();
  const node = start({
    buryNodes: async () => {
      const dead = [...silent];
      for (const id of dead) await engine.upkeep.leave(id);
      silent.clear();
      return dead;
    },
  });
  const labels = async () => (await engine.upkeep.listClaims()).labels;
  await joined(node);
  await until(async () => (await labels()).length === 1, 'It is not free.');
  expect(await labels()).toEqual(['other 1']);
  // Time stands still: the next look would be far away, but for the death.
  silent.add('other');
  await until(async () => (await labels()).length === 0, 'It is not free.');
  expect(counts.nodeDied).toBe(1);
});

test('what this node has claimed without knowing of it is free, and what it holds is not', async () => {
  const node = start();
  await joined(node);
  const event = { id: 'evt_1', type: 'x', icon: null, payload: '{}', senderId: null, happenedAt: 0 };
  const events = ['evt_1', 'evt_2'].map(id => ({ ...event, id, entityKind: null, entityExternalId: null }));
  await engine.journal.append([{ orgId: 'org', sourceId: null, receivedAt: 0, events, idempotency: null }]);
  const claim = async () => {
    const token = node.newToken() ?? '';
    held.push(token);
    const input = { token, now: 1, limit: 1, bytes: 1_000, after: '', except: [] };
    expect((await engine.eventQueue.claimEvents(input)).events).toHaveLength(1);
  };
  await claim();
  await claim();
  // Its answer was lost.
  held.shift();
  now += 5_000;
  await until(engine.eventQueue.hasSuspects, 'It is not free.');
  expect((await engine.upkeep.listClaims()).events).toEqual(held);
});

test('alone on its storage a node takes everything over at its start, and never dies of silence', async () => {
  await engine.upkeep.join(aNode('former'), false);
  await claimLabel('lost', 'former 1');
  await engine.jobs.createJob({
    ...{ id: 'job_1', orgId: 'org', kind: 'replay', state: 'running', request: '{}', notes: [] },
    ...{ total: 0, done: 0, failed: 0, position: null, createdBy: 'x', createdAt: 0, finishedAt: null },
  });
  await claimJob('former 2');
  const node = start({}, false);
  await joined(node);
  const before = nodeOf(node.newToken()) ?? '';
  await until(async () => (await claimJob(node.newToken() ?? '')) !== null, 'It is not free.');
  const { labels, nodes: alive } = await engine.upkeep.listClaims();
  expect([labels, alive]).toEqual([[], [before]]);
  now += 1_000_000;
  expect(nodeOf(node.newToken())).toBe(before);
  expect(dropped).toBe(0);
});

for (const isShared of [true, false]) {
  test(`a node says what it gets done in a second, ${isShared ? 'to others too' : 'where it is alone'}`, async () => {
    const node = start({}, isShared);
    await joined(node);
    const { id } = node.self();
    Object.assign(done, { accepted: done.accepted + 500, delivered: done.delivered + 25 });
    now += 5_000;
    const rates = { accepted: 100, processed: 0, delivered: 5 };
    await until(() => node.self().rates.accepted > 0, 'It measures nothing.');
    expect(node.self()).toEqual({ id, rates });
    if (!isShared) return;
    const heard = async () => (await engine.upkeep.listNodes()).find(other => other.id === id);
    await until(async () => (await heard())?.rates.accepted === 100, 'Others do not hear of it.');
    expect(await heard()).toMatchObject({ version: VERSION, rates });
  });
}
