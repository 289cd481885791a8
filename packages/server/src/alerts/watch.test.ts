import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import type { SystemEventPayload } from '@sluice/contract/system-events';
import { temporaryDirectory } from '../../test/support/service.ts';
import { minutes } from '../core/clock.ts';
import { createDashboardLinks } from '../core/dashboard-links.ts';
import { systemSourceId } from '../core/event/system-source.ts';
import { newId } from '../core/ids.ts';
import type { AlertStore } from '../core/stores/alerts.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import type { AppendResult } from '../core/stores/journal.ts';
import { openStorage } from '../storage/open.ts';
import { createRaise } from './raise.ts';
import { createWatch } from './watch.ts';

/** The look for trouble on real storage, with a node that is killed wherever a test says so. */

const directory = temporaryDirectory();
let engine: StorageEngine;
let first: string;
let orgId: string;
let now = Date.UTC(2026, 4, 1);
let free: number | null = null;

const GIB = 1024 ** 3;

async function addOrganisation(): Promise<string> {
  const id = newId('org', now);
  const org = { id, name: 'Acme', retentionDays: null, searchableTraits: [], createdAt: now };
  await engine.accounts.createOrganisation(org, newId('usr', now));
  return id;
}

beforeAll(async () => {
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  first = await addOrganisation();
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  now += minutes(60);
  free = null;
  orgId = await addOrganisation();
});

const turn = { take: async () => true, giveUp: async () => {} };

function start(given: { alerts?: Partial<AlertStore>; baseUrl?: string; isStopping?: () => boolean } = {}) {
  const alerts = { ...engine.alerts, ...given.alerts };
  const raise = createRaise({
    alerts,
    accept: async request => (await engine.journal.append([request]))[0] as AppendResult,
    sourceSeen() {},
    links: createDashboardLinks(given.baseUrl, engine.accounts),
  });
  return createWatch({
    ...engine,
    alerts,
    raise,
    freeBytes: async () => free,
    turn,
    clock: { now: () => now },
    isStopping: given.isStopping ?? (() => false),
  });
}

async function raised(of = orgId) {
  const page = { limit: 100, below: null, budgetMs: 1_000 };
  const { events } = await engine.journal.listEvents(of, { source: systemSourceId(of) }, page);
  return Promise.all(
    events.map(async ({ id, type }) => ({
      type,
      payload: JSON.parse((await engine.journal.findEvent(of, id))?.payload ?? '') as SystemEventPayload,
    })),
  );
}

async function addDestination(pipelines: readonly (readonly string[])[] = []): Promise<string> {
  const id = newId('dst', now);
  const times = { createdAt: now, updatedAt: now };
  await engine.configuration.createDestination({
    ...{ id, orgId, kind: 'inbox', name: 'Shop', config: '{}', paused: false, breaker: null },
    policy: { attempts: 1, schedule_s: [0], timeout_s: 1, concurrency: 1, rate_per_second: 0 },
    ...{ formerPolicies: [], listenerToken: null, ...times },
  });
  for (const sources of pipelines) {
    const definition = JSON.stringify({ name: 'P', sources, steps: [], destinations: [{ id }] });
    const pipeline = { id: newId('pipe', now), orgId, name: 'P', enabled: true, version: 1 };
    await engine.configuration.createPipeline({ ...pipeline, definition, ...times }, 'test');
  }
  return id;
}

const goDown = (id: string) =>
  engine.configuration.openBreaker(orgId, id, {
    ...{ openedAt: now, nextProbeAt: now + 1, failure: 'It answered 503.' },
  });

const killed = () => Promise.reject(new Error('killed'));
const isKilled = (look: Promise<void>) =>
  look.then(
    () => false,
    (error: Error) => error.message === 'killed',
  );

describe('a node that is killed', () => {
  const places: (keyof AlertStore)[] = ['beginAlert', 'noteRaised', 'markRaised'];
  test.each(places)('at %s has raised one event, once another has looked', async place => {
    await goDown(await addDestination());
    expect(await isKilled(start({ alerts: { [place]: killed } }).look())).toBe(true);
    now += 5_000;
    await start().look();
    await start().look();
    expect((await raised()).map(({ type }) => type)).toEqual(['sluice.destination.down']);
  });

  test('before it has said that something recovered leaves that to another', async () => {
    const id = await addDestination();
    await goDown(id);
    await start().look();
    await engine.configuration.closeBreaker(orgId, id);
    expect(await isKilled(start({ alerts: { markRecovered: killed } }).look())).toBe(true);
    now += 5_000;
    await start().look();
    expect((await raised()).map(({ type }) => type)).toEqual([
      'sluice.destination.recovered',
      'sluice.destination.down',
    ]);
  });

  test('while it stops raises nothing more', async () => {
    await goDown(await addDestination());
    await start({ isStopping: () => true }).look();
    expect(await raised()).toEqual([]);
  });
});

describe('a destination that gets system events', () => {
  test('and nothing else raises none', async () => {
    await goDown(await addDestination([[systemSourceId(orgId)]]));
    await start().look();
    expect(await raised()).toEqual([]);
  });

  test('and others raises one, and so does one that no pipeline leads to', async () => {
    await goDown(await addDestination([[systemSourceId(orgId)], ['src_1']]));
    await goDown(await addDestination([[systemSourceId(orgId), 'src_1']]));
    await goDown(await addDestination());
    await start().look();
    expect(await raised()).toHaveLength(3);
  });

  test('that was deleted while it was down has not recovered', async () => {
    const id = await addDestination();
    await goDown(id);
    await start().look();
    await engine.configuration.deleteDestination(orgId, id, 'test', now);
    await start().look();
    expect(await raised()).toHaveLength(1);
    expect(await engine.alerts.listAlerts()).not.toContainEqual(expect.objectContaining({ subjectId: id }));
  });
});

test('a disk with little room is told of in the first organisation alone, and again ten minutes after it had room', async () => {
  const before = (await raised(first)).length;
  const since = async () => (await raised(first)).length - before;
  free = GIB;
  await start().look();
  expect(await since()).toBe(0);
  free = GIB - 1;
  await start({ baseUrl: 'https://sluice.example.com' }).look();
  await start().look();
  expect(await since()).toBe(1);
  expect((await raised(first))[0]?.payload).toMatchObject({
    subject: { kind: 'installation' },
    counts: { free_bytes: GIB - 1 },
    url: 'https://sluice.example.com/o/acme/settings/health',
  });
  expect(await raised()).toEqual([]);
  free = GIB;
  await start().look();
  free = 5;
  await start().look();
  expect(await since()).toBe(1);
  now += minutes(10);
  await start().look();
  expect(await since()).toBe(2);
});

test('more jobs than one look tells of keep no trouble of others waiting', async () => {
  free = GIB;
  await start().look();
  free = GIB / 2;
  const jobs = Array.from({ length: 250 }, (_, n) => ({
    ...{ orgId, type: 'sluice.job.finished' as const, since: now, counts: {}, lastError: null },
    subject: { type: 'job' as const, id: `job_${n}`, name: 'replay', kind: 'replay' },
  }));
  const before = (await raised(first)).length;
  await start({ alerts: { readTrouble: async () => jobs } }).look();
  expect((await raised(first)).length).toBe(before + 1);
  expect((await raised()).length).toBe(100);
});

test('an alert about a whole organisation leads there, whichever one its reader used last', async () => {
  const slug = (await engine.accounts.findOrganisation(orgId))?.slug;
  expect(slug).toMatch(/^acme-\d+$/);
  const subject = { type: 'organisation', id: orgId, name: 'Acme', kind: 'organisation' } as const;
  const about = { orgId, subject, since: now, counts: {}, lastError: null };
  const readTrouble = async () => [
    { ...about, type: 'sluice.dead_letters.growing' as const },
    { ...about, type: 'sluice.backlog.growing' as const },
  ];
  await start({ alerts: { readTrouble }, baseUrl: 'https://sluice.example.com' }).look();
  expect((await raised()).map(({ payload }) => payload.url).sort()).toEqual([
    `https://sluice.example.com/o/${slug}`,
    `https://sluice.example.com/o/${slug}/dead-letters`,
  ]);
});

test('without the base URL an event has no URL', async () => {
  await goDown(await addDestination());
  await start().look();
  expect((await raised())[0]?.payload).not.toHaveProperty('url');
});

test('a source that is quiet is told of, but not within five minutes of a start', async () => {
  const times = { createdAt: now, updatedAt: now, lastEventAt: null };
  const source = { kind: 'sdk', id: newId('src', now), orgId, name: 'Hourly', enabled: true } as const;
  await engine.configuration.createSource({ ...source, match: '*', expectEveryMinutes: 1, ...times });
  now += minutes(2);
  const watch = start();
  now += minutes(4);
  await watch.look();
  expect(await raised()).toEqual([]);
  now += minutes(1);
  await watch.look();
  expect((await raised()).map(({ type }) => type)).toEqual(['sluice.source.quiet']);
});

test('what cannot be told of one organisation keeps nothing from the next, and is on record', async () => {
  const broken = orgId;
  await goDown(await addDestination());
  orgId = await addOrganisation();
  await goDown(await addDestination());
  const beginAlert: AlertStore['beginAlert'] = async (alert, notAfter) => {
    if (alert.orgId === broken) return killed();
    return engine.alerts.beginAlert(alert, notAfter);
  };
  expect(await isKilled(start({ alerts: { beginAlert } }).look())).toBe(true);
  expect((await raised()).map(({ type }) => type)).toEqual(['sluice.destination.down']);
});
