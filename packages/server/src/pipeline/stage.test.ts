import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { guardedClient } from '../../test/support/guarded-client.ts';
import { temporaryDirectory } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';
import { systemClock } from '../core/clock.ts';
import { createVault } from '../core/secrets/vault.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import { compileRoutes } from '../routing/match.ts';
import { startThread } from '../runtime/thread.ts';
import { openStorage } from '../storage/open.ts';
import { createPipelineStage, type PipelineStage } from './stage.ts';

/** The stage on real storage, with the real thread or with one that has no script to run. */
let directory: string;
let engine: StorageEngine;
let started: number;
let claims: number;
let errors: unknown[];

beforeEach(async () => {
  directory = temporaryDirectory();
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  started = 0;
  claims = 0;
  errors = [];
});
afterEach(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

function createStage(given: { readonly script?: string; readonly works?: boolean } = {}): PipelineStage {
  const { script = '../pipeline-thread.ts', works = true } = given;
  const secretKey = 'a secret key for tests, 32 characters or more';
  return createPipelineStage({
    configuration: engine.configuration,
    journal: engine.journal,
    jobs: engine.jobs,
    eventQueue: {
      ...engine.eventQueue,
      claimEvents(input) {
        claims++;
        return engine.eventQueue.claimEvents(input);
      },
    },
    clock: systemClock,
    vault: createVault(secretKey),
    secretKey,
    client: guardedClient(),
    compileRoutes,
    readTraits: async () => null,
    startThread(handlers) {
      started++;
      return startThread(new URL(script, import.meta.url), handlers);
    },
    newToken: () => `node ${claims}`,
    pollMs: 20,
    works,
    mayCache: () => true,
    isStopping: () => false,
    mustGiveWay: () => false,
    reserveDeliveries: () => null,
    onDeliveries() {},
    onError: error => void errors.push(error),
  });
}

describe('the stage of pipelines', () => {
  test('starts nothing before it is told to, and can be stopped all the same', async () => {
    const stage = createStage();
    stage.wake();
    stage.invalidate(null);
    await engine.eventQueue.hasSuspects();
    expect([started, claims, stage.problem()]).toEqual([0, 0, null]);
    await stage.stop();
    expect([started, claims, errors]).toEqual([0, 0, []]);
  });

  test('works from its start to its stop', async () => {
    const stage = createStage();
    stage.start();
    await until(() => claims > 1, 'It does not claim.');
    await stage.stop();
    const before = claims;
    stage.wake();
    await engine.eventQueue.hasSuspects();
    expect([started, claims, errors]).toEqual([1, before, []]);
  });

  test('says why it cannot work where its thread does not start', async () => {
    const stage = createStage({ script: '../no-such-thread.ts' });
    stage.start();
    await until(() => stage.problem() !== null, 'It does not say so.');
    expect(stage.problem()).toStartWith('The thread that runs pipelines is down: ');
    expect(String(errors[0])).toContain('no-such-thread');
    await stage.stop();
  });

  test('has no thread on a node that leaves events to others', async () => {
    const stage = createStage({ script: '../no-such-thread.ts', works: false });
    stage.start();
    await engine.eventQueue.hasSuspects();
    expect([started, claims, stage.problem()]).toEqual([0, 0, null]);
    await stage.stop();
  });
});
