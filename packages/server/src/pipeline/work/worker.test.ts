import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { type EveryStore, everyStore } from '../../../test/support/every-store.ts';
import { temporaryDirectory } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import { Problem } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { createVault } from '../../core/secrets/vault.ts';
import type { StorageEngine } from '../../core/stores/engine.ts';
import { openStorage } from '../../storage/open.ts';
import { createDefinitions } from '../definitions/definitions.ts';
import { failedReport, type RunReport, type RunRequest } from '../thread/protocol.ts';
import type { PipelineRunner } from '../thread/runner.ts';
import { createPipelineWorker, type PipelineWorker } from './worker.ts';

/** Workers on real storage, whose runs end when and how the test says. */

let orgId: string;
let directory: string;
let engine: StorageEngine;
let storage: EveryStore;
let now: number;
let errors: unknown[];
let tokens: number;
let workers: PipelineWorker[];

// One for all, since it takes longer to open than most tests do; each has an organisation of its own.
beforeAll(async () => {
  directory = temporaryDirectory();
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  storage = everyStore(engine);
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

beforeEach(async () => {
  orgId = newId('org');
  now = Date.now();
  errors = [];
  tokens = 0;
  workers = [];
  const times = { createdAt: now, updatedAt: now };
  const source = newId('src');
  await storage.createSource({
    kind: 'sdk',
    id: source,
    orgId,
    name: 'All',
    enabled: true,
    match: '*',
    lastEventAt: null,
    ...times,
  });
  const definition = JSON.stringify({ name: 'P', sources: [source], steps: [], destinations: [] });
  await storage.createPipeline(
    { id: newId('pipe'), orgId, name: 'P', enabled: true, version: 1, definition, ...times },
    'test',
  );
});
afterEach(async () => {
  await Promise.all(workers.map(worker => worker.stop()));
});

const routed: RunReport = { ...failedReport(null, ''), outcome: 'routed', reason: null } as RunReport;

interface Held {
  readonly request: RunRequest;
  end(report: RunReport): void;
}

const quiet = { start() {}, problem: () => null, stop() {} };

/** A runner whose runs wait for the test. */
function holdingRunner(): PipelineRunner & { readonly held: Held[] } {
  const held: Held[] = [];
  return {
    held,
    ...quiet,
    run: request => new Promise(resolve => held.push({ request, end: resolve })),
  };
}

const atOnce: PipelineRunner = { ...quiet, run: async () => routed };

interface Given {
  /** Null: none of the living. */
  readonly nodeId?: () => string | null;
  readonly storage?: Partial<EveryStore>;
  readonly mustGiveWay?: () => boolean;
  readonly pollMs?: number;
}

function startWorker(runner: PipelineRunner, given: Given = {}) {
  const givenStorage = { ...storage, ...given.storage };
  const worker = createPipelineWorker({
    eventQueue: givenStorage,
    definitions: createDefinitions({
      configuration: givenStorage,
      vault: createVault('a secret key for tests, 32 characters or more'),
      mayCache: () => true,
    }),
    runner,
    clock: { now: () => now },
    newToken() {
      const nodeId = (given.nodeId ?? (() => 'node'))();
      return nodeId === null ? null : `${nodeId} ${tokens++}`;
    },
    pollMs: given.pollMs ?? 20,
    mustGiveWay: given.mustGiveWay ?? (() => false),
    reserveDeliveries: () => null,
    onDeliveries() {},
    onError: error => void errors.push(error),
  });
  workers.push(worker);
  worker.start();
  return worker;
}

async function accept(count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => ({
    id: newId('evt'),
    type: 'x',
    icon: null,
    payload: '{}',
    senderId: null,
    entityKind: null,
    entityExternalId: null,
    happenedAt: now,
  }));
  await storage.append([{ orgId, sourceId: null, receivedAt: now, events, idempotency: null }]);
  return events.map(({ id }) => id);
}

const stateOf = async (id: string) => (await storage.findEvent(orgId, id))?.state;
const allAre = (ids: readonly string[], state: string) => async () =>
  (await Promise.all(ids.map(stateOf))).every(found => found === state);

test('an event is taken without anybody saying so, and at once when somebody does', async () => {
  const worker = startWorker(atOnce);
  const first = await accept(3);
  await until(allAre(first, 'processed'), 'They wait.');
  const second = await accept(300);
  worker.wake();
  await until(allAre(second, 'processed'), 'They wait.');
  expect(errors).toEqual([]);
});

test('an event that is accepted while a claim finds nothing does not wait for the next poll', async () => {
  let claims = 0;
  let late: string[] = [];
  const worker = startWorker(atOnce, {
    pollMs: 3_600_000,
    storage: {
      async claimEvents(input) {
        const batch = await storage.claimEvents(input);
        if (++claims === 2) {
          late = await accept(1);
          worker.wake();
        }
        return batch;
      },
    },
  });
  await until(() => claims === 1, 'It does not look.');
  worker.wake();
  await until(async () => late.length > 0 && (await allAre(late, 'processed')()), 'It waits for the poll.');
  expect(errors).toEqual([]);
});

const free = (events: readonly string[]) =>
  storage.freeClaims(
    { events, deliveries: [], probes: [], listeners: [], jobs: [], labels: [] },
    100,
    Date.now(),
  );

test('a worker whose node was declared dead finds its late result refused, and another has done the work', async () => {
  const slow = holdingRunner();
  // It takes nothing over itself, as a process that is stopped.
  const worker = startWorker(slow, {
    nodeId: () => 'slow',
    storage: { claimSuspect: async () => null },
  });
  const [id = ''] = await accept(1);
  await until(() => slow.held.length === 1, 'It is not taken.');
  // However much time goes by, its claim holds until its node is dead.
  now += 600_000;
  startWorker(atOnce, { nodeId: () => 'quick' });
  // Beside it stands what it claims with just now, if it does.
  await until(() => worker.heldTokens().length === 1, 'It holds more than it has.');
  expect(await storage.hasSuspects()).toBe(false);
  await free(worker.heldTokens());
  await until(allAre([id], 'processed'), 'Nobody took over.');
  slow.held[0]?.end(failedReport(0, 'late'));
  await worker.stop();
  expect(await stateOf(id)).toBe('processed');
  expect(await storage.listRuns(orgId, id)).toHaveLength(1);
  expect(errors).toEqual([]);
});

test.each([
  ['while it runs', false],
  ['before it starts again', true],
])('the clock goes back a day %s: what waits to be tried again is', async (_, restarts) => {
  let runs = 0;
  const runner: PipelineRunner = {
    ...quiet,
    run: async () =>
      runs++ === 0
        ? {
            kind: 'retry',
            afterMs: 60_000,
            step: 0,
            reason: 'Not yet.',
            said: null,
            trace: '[]',
            tallies: [],
            busyMs: 0,
          }
        : routed,
  };
  const worker = startWorker(runner);
  const [id = ''] = await accept(1);
  await until(async () => (await storage.findRetry(orgId, id)) !== null, 'It does not wait.');
  if (restarts) await worker.stop();
  now -= 86_400_000;
  if (restarts) startWorker(runner);
  await until(allAre([id], 'processed'), 'It waits until the clock has caught up.');
  expect(runs).toBe(2);
});

test('what waits for storage when its node is declared dead is not run by it any more', async () => {
  let isAway = true;
  let reads = 0;
  const away = () => Promise.reject(new Problem('storage_unavailable'));
  const runs: RunRequest[] = [];
  const runner: PipelineRunner = {
    ...quiet,
    async run(request) {
      runs.push(request);
      return routed;
    },
  };
  const worker = startWorker(runner, {
    nodeId: () => (reads === 0 ? 'first' : null),
    storage: {
      readProcessing(of) {
        reads++;
        return isAway ? away() : storage.readProcessing(of);
      },
      hasSuspects: () => (isAway ? away() : storage.hasSuspects()),
    },
  });
  const [id = ''] = await accept(1);
  await until(() => reads > 0, 'It does not wait for storage.');
  await free(worker.heldTokens());
  worker.dropClaims();
  isAway = false;
  await until(() => worker.heldTokens().length === 0, 'It holds on to it.');
  expect([runs.length, await stateOf(id)]).toEqual([0, 'accepted']);
  startWorker(runner, { nodeId: () => 'second' });
  await until(allAre([id], 'processed'), 'Nobody took over.');
  expect(runs).toHaveLength(1);
});

test('a worker claims nothing while its node is none of the living', async () => {
  let nodeId: string | null = null;
  let looks = 0;
  const ids = await accept(2);
  const worker = startWorker(atOnce, {
    nodeId() {
      looks++;
      return nodeId;
    },
  });
  await until(() => looks > 2, 'It does not ask.');
  expect(await Promise.all(ids.map(stateOf))).toEqual(['accepted', 'accepted']);
  nodeId = 'node';
  await until(allAre(ids, 'processed'), 'They wait.');
  await until(() => worker.heldTokens().length === 0, 'It keeps what it is through with.');
});

test('what is being claimed is held before the claim is answered', async () => {
  let held: readonly string[] = [];
  const worker = startWorker(atOnce, {
    storage: {
      async claimEvents(input) {
        held = [input.token, ...worker.heldTokens()];
        return storage.claimEvents(input);
      },
    },
  });
  await until(() => held.length > 0, 'It does not claim.');
  expect(held[1]).toBe(held[0] ?? '');
});

test('claims give way to senders who queue for the disk, step by step, and come all the same', async () => {
  const ids = await accept(300);
  const claims: { readonly at: number; readonly events: number }[] = [];
  startWorker(atOnce, {
    mustGiveWay: () => true,
    storage: {
      async claimEvents(input) {
        const at = performance.now();
        const claimed = await storage.claimEvents(input);
        if (claimed.events.length > 0) claims.push({ at, events: claimed.events.length });
        return claimed;
      },
    },
  });
  await until(allAre(ids, 'processed'), 'They wait for ever.');
  const [first, ...rest] = claims;
  expect(first?.events).toBe(128);
  expect(Math.min(...rest.map(({ at }) => at)) - (first?.at ?? 0)).toBeGreaterThan(30);
});

test('a stop lets runs end, and gives back those that do not', async () => {
  const runner = holdingRunner();
  const worker = startWorker(runner);
  const ids = await accept(2);
  await until(() => runner.held.length === 2, 'They are not taken.');
  const stopped = worker.stop();
  runner.held[0]?.end(routed);
  await stopped;
  const states = await Promise.all(ids.map(stateOf));
  expect(states.toSorted()).toEqual(['accepted', 'processed']);
  // As if it had never been claimed: no suspicion falls on it.
  expect(await storage.hasSuspects()).toBe(false);
  startWorker(atOnce, { nodeId: () => 'next' });
  await until(allAre(ids, 'processed'), 'It is lost.');
});

describe('storage', () => {
  test('that is away costs time and nothing else', async () => {
    let isAway = true;
    const orAway = <T>(work: () => Promise<T>): Promise<T> =>
      isAway ? Promise.reject(new Problem('storage_unavailable')) : work();
    startWorker(atOnce, {
      storage: {
        claimEvents: input => orAway(() => storage.claimEvents(input)),
        settleEvents: (settlements, at) => orAway(() => storage.settleEvents(settlements, at)),
      },
    });
    const ids = await accept(5);
    await until(() => errors.length > 0, 'Nobody noticed.');
    isAway = false;
    await until(allAre(ids, 'processed'), 'They are lost.');
    expect((await storage.listRuns(orgId, ids[0] ?? '')).length).toBe(1);
  });

  test('that is away is looked at by one for all who have to wait for it', async () => {
    let isAway = true;
    let [reads, looks] = [0, 0];
    const away = () => Promise.reject(new Problem('storage_unavailable'));
    const ids = await accept(50);
    startWorker(atOnce, {
      storage: {
        readProcessing(of) {
          reads++;
          return isAway ? away() : storage.readProcessing(of);
        },
        hasSuspects() {
          if (reads > 0) looks++;
          return isAway ? away() : storage.hasSuspects();
        },
      },
    });
    await until(() => looks >= 3, 'Nobody looks.');
    const readsWhileAway = reads;
    await until(() => looks >= 5, 'Nobody looks again.');
    expect(reads).toBe(readsWhileAway);
    isAway = false;
    await until(allAre(ids, 'processed'), 'They are lost.');
  });

  test('that answers nonsense about pipelines fails the event with the reason, after a few tries', async () => {
    const [id = ''] = await accept(1);
    let reads = 0;
    startWorker(atOnce, {
      storage: {
        readProcessing() {
          reads++;
          return Promise.reject(new Error('There is no such column.'));
        },
      },
    });
    await until(allAre([id], 'failed'), 'It is tried for ever.');
    expect(reads).toBe(3);
    expect((await storage.listRuns(orgId, id))[0]).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('no such column'),
    });
  });

  test('that cannot take one event as it is takes it as failed, and the others as they are', async () => {
    const ids = await accept(6);
    const bad = ids[2] ?? '';
    startWorker(atOnce, {
      storage: {
        settleEvents: (settlements, at) =>
          settlements.some(
            ({ eventId, runs }) => eventId === bad && runs.some(run => run.outcome === 'routed'),
          )
            ? Promise.reject(new Error('It does not fit.'))
            : storage.settleEvents(settlements, at),
      },
    });
    await until(allAre([bad], 'failed'), 'It is lost.');
    await until(
      allAre(
        ids.filter(id => id !== bad),
        'processed',
      ),
      'Others are lost.',
    );
    expect((await storage.listRuns(orgId, bad))[0]?.reason).toContain('It does not fit.');
  });
});

test('a suspect is tried alone, then strictly alone, and left alone after three tries', async () => {
  const [id = '', ...others] = await accept(4);
  const input = { now, limit: 10, bytes: 1 << 20, after: '', except: [] };
  // Two lives of a process that ended in the middle.
  await storage.claimEvents({ ...input, token: 'node first' });
  await free(['node first']);
  const runner = holdingRunner();
  let looksForSuspects = true;
  const worker = startWorker(runner, {
    storage: { claimSuspect: async token => (looksForSuspects ? storage.claimSuspect(token) : null) },
  });
  await until(() => runner.held.length === 4, 'The suspects are not tried.');
  for (const { request, end } of runner.held.filter(({ request }) => request.event.id !== id)) {
    expect(others).toContain(request.event.id);
    end(routed);
  }
  await until(allAre(others, 'processed'), 'The innocent wait.');
  // It ends without a goodbye once more, and then a third time.
  looksForSuspects = false;
  await free(worker.heldTokens());
  for (let tries = 3; tries <= 4; tries++) {
    const claimed = await storage.claimSuspect(`dead ${tries}`);
    expect(claimed).toMatchObject({ event: { id }, tries });
    await free([`dead ${tries}`]);
  }
  looksForSuspects = true;
  await until(allAre([id], 'failed'), 'It is tried for ever.');
  expect((await storage.listRuns(orgId, id))[0]?.reason).toContain('3 times');
  expect(runner.held).toHaveLength(4);
  await worker.stop();
});
