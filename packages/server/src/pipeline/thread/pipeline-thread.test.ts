import { afterEach, describe, expect, test } from 'bun:test';
import { until } from '../../../test/support/until.ts';
import { startThread } from '../../runtime/thread.ts';
import { createPipelineThread, type PipelineThread, type PipelineThreadOptions } from './pipeline-thread.ts';
import { failedReport, type RunReport, type RunRequest } from './protocol.ts';
import { createPipelineRunner, createSlowPipelines } from './runner.ts';

let started = 0;
let ended = 0;
/** So many of the next threads have no script to run. */
let unstartable = 0;
const startMisbehaving: PipelineThreadOptions['startThread'] = handlers => {
  started++;
  const script = unstartable-- > 0 ? 'no-such-thread.ts' : 'misbehaving-thread.ts';
  const worker = startThread(new URL(`../../../test/support/${script}`, import.meta.url), handlers);
  return {
    post: worker.post,
    end() {
      ended++;
      worker.end();
    },
  };
};

let errors: unknown[] = [];
const common = {
  startThread: startMisbehaving,
  secretKey: 'a secret key for tests, 32 characters or more',
  answer: async () => null,
  isAway: () => false,
  onError: (error: unknown) => void errors.push(error),
  stuckAfterMs: 500,
};

const opened: { stop(): void }[] = [];
afterEach(() => {
  for (const thread of opened.splice(0)) thread.stop();
  started = 0;
  ended = 0;
  errors = [];
  unstartable = 0;
});

function openThread(given: Partial<PipelineThreadOptions> = {}): PipelineThread {
  const thread = createPipelineThread({
    ...common,
    onStuck: async (_request, reason, step) => failedReport(step, reason),
    ...given,
  });
  opened.push(thread);
  return thread;
}

const pipeline = {
  id: 'pipe_a',
  version: 1,
  name: 'A',
  sources: [],
  steps: [],
  destinations: [],
  isRemote: false,
};
let ids = 0;
const aRun = (what?: string): RunRequest => ({
  orgId: 'org_a',
  pipeline,
  event: {
    id: `evt_${++ids}`,
    type: 'x',
    icon: null,
    senderId: null,
    entity: null,
    happenedAt: 0,
    receivedAt: 0,
  },
  payload: JSON.stringify(what === undefined ? {} : { do: what }),
  sourceName: null,
  retries: 0,
});

const outcomeOf = (report: RunReport) => (report.kind === 'settled' ? report.outcome : report.kind);

describe('a pipeline thread', () => {
  test('starts its thread for the first run, and keeps it for the next', async () => {
    const thread = openThread();
    expect(started).toBe(0);
    const reports = await Promise.all([thread.run(aRun()), thread.run(aRun())]);
    expect(reports.map(outcomeOf)).toEqual(['routed', 'routed']);
    expect(await thread.run(aRun())).toMatchObject({ output: '3' });
    expect(started).toBe(1);
    expect(thread.inFlight()).toBe(0);
  });

  test('starts its thread before the first run where that is asked for', async () => {
    const thread = openThread();
    thread.start();
    thread.start();
    expect(started).toBe(1);
    expect(outcomeOf(await thread.run(aRun()))).toBe('routed');
    expect(started).toBe(1);
  });

  test('still knows the run that does not end when it has counted to the end of 32 bits', async () => {
    const thread = openThread({ firstNumber: 0x7fff_fffe });
    expect(outcomeOf(await thread.run(aRun()))).toBe('routed');
    const [stuck, after] = [thread.run(aRun('hang')), thread.run(aRun())];
    expect(outcomeOf(await stuck)).toBe('failed');
    expect(outcomeOf(await after)).toBe('routed');
    expect(started).toBe(2);
  });

  test('cuts a run that does not end, and lets all the others through', async () => {
    const thread = openThread();
    const before = thread.run(aRun());
    const stuck = thread.run(aRun('hang'));
    const after = Array.from({ length: 20 }, () => thread.run(aRun()));
    expect(outcomeOf(await before)).toBe('routed');
    expect(await stuck).toMatchObject({
      outcome: 'failed',
      step: 2,
      reason: expect.stringContaining('made no progress'),
    });
    expect((await Promise.all(after)).map(outcomeOf)).toEqual(after.map(() => 'routed'));
    expect(started).toBe(2);
  });

  test('survives a thread that dies, and blames the run that it died of', async () => {
    const thread = openThread();
    const [crash, other] = [thread.run(aRun('crash')), thread.run(aRun())];
    expect(await crash).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('It was told to.'),
    });
    expect(outcomeOf(await other)).toBe('routed');
    expect(outcomeOf(await thread.run(aRun()))).toBe('routed');
  });

  test('takes no run that waits for an answer for one that is stuck', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<null>();
    let asked = 0;
    const thread = openThread({
      answer: () => {
        asked++;
        return released;
      },
    });
    const waits = thread.run(aRun('wait'));
    await until(() => asked === 1, 'Nobody asked.');
    const isOverdueAt = performance.now() + 2 * common.stuckAfterMs;
    await until(() => performance.now() > isOverdueAt, 'Time stands still.');
    release(null);
    expect(outcomeOf(await waits)).toBe('routed');
    expect(started).toBe(1);
  });

  test('runs what waited for an answer again when its thread is replaced', async () => {
    const thread = openThread();
    const waits = thread.run(aRun('wait'));
    const stuck = thread.run(aRun('hang'));
    expect(outcomeOf(await stuck)).toBe('failed');
    expect(outcomeOf(await waits)).toBe('routed');
  });

  test('ends a thread that nobody has used for a while, and starts another when it is wanted', async () => {
    const thread = openThread({ idleMs: 250 });
    await thread.run(aRun());
    await until(() => ended === 1, 'It is kept.');
    expect(await thread.run(aRun())).toMatchObject({ output: '1' });
    expect(started).toBe(2);
  });
});

describe('a pipeline thread that does not start', () => {
  const restartDelaysS = [0.05, 0.2];

  test('is started again after a delay that grows, and each failure is reported', async () => {
    unstartable = 3;
    const thread = openThread({ restartDelaysS });
    const began = performance.now();
    const run = thread.run(aRun());
    await until(() => errors.length === 1, 'Nothing is reported.');
    expect(thread.problem()).toContain('no-such-thread');
    expect(outcomeOf(await run)).toBe('routed');
    expect(performance.now() - began).toBeGreaterThan(450);
    expect(started).toBe(4);
    expect(errors).toHaveLength(3);
    expect(String(errors[0])).toContain('no-such-thread');
    expect(thread.problem()).toBeNull();
  });

  test('is started again without a run too, where it is kept', async () => {
    unstartable = 2;
    const thread = openThread({ restartDelaysS });
    thread.start();
    await until(() => thread.problem() !== null, 'Nothing is reported.');
    await until(() => thread.problem() === null, 'It stays down.');
    expect(started).toBe(3);
  });

  test('is not started again once it was stopped', async () => {
    unstartable = 1;
    const thread = openThread({ restartDelaysS });
    thread.start();
    await until(() => thread.problem() !== null, 'Nothing is reported.');
    thread.stop();
    const overdueAt = performance.now() + 200;
    await until(() => performance.now() > overdueAt, 'Time stands still.');
    expect(started).toBe(1);
  });

  test('costs no run anything, also where it dies with nothing to blame', async () => {
    const thread = openThread({
      startThread: handlers => {
        started++;
        if (started < 3) throw new Error('There is no memory.');
        started--;
        return startMisbehaving(handlers);
      },
      restartDelaysS,
    });
    const runs = [thread.run(aRun()), thread.run(aRun())];
    expect((await Promise.all(runs)).map(outcomeOf)).toEqual(['routed', 'routed']);
    expect(errors.map(String)).toEqual(Array(2).fill(expect.stringContaining('There is no memory.')));
  });

  test('fails those who need not wait for it', async () => {
    unstartable = 1;
    const thread = openThread({ restartDelaysS, onDown: problem => failedReport(null, problem) });
    expect(await thread.run(aRun())).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('no-such-thread'),
    });
    expect(thread.problem()).toBeNull();
    expect(outcomeOf(await thread.run(aRun()))).toBe('routed');
  });
});

describe('the quick and the slow thread', () => {
  test('give a run that got its thread stuck a second chance alone, and then give it up', async () => {
    const runner = createPipelineRunner(common);
    opened.push(runner);
    const other = { ...aRun(), pipeline: { ...pipeline, id: 'pipe_b' } };
    const [stuck, through] = [runner.run(aRun('hang')), runner.run(other)];
    expect(outcomeOf(await through)).toBe('routed');
    expect(await stuck).toMatchObject({ outcome: 'failed', step: 2 });
    // One thread that was ended, one that took over, and one of the slow thread.
    expect(started).toBe(3);
    expect(await runner.run(other)).toMatchObject({ outcome: 'routed', output: '2' });
  });

  test('take a pipeline that proved slow out of the way of the others, for a while', async () => {
    let now = 0;
    const runner = createPipelineRunner({ ...common, now: () => now });
    opened.push(runner);
    await runner.run(aRun());
    // Handed back by the first thread, and the first run of the second.
    expect(await runner.run(aRun('drag'))).toMatchObject({ outcome: 'routed', output: '1' });
    expect(await runner.run(aRun())).toMatchObject({ output: '2' });
    const other = { ...aRun(), pipeline: { ...pipeline, id: 'pipe_b' } };
    expect(await runner.run(other)).toMatchObject({ output: '3' });
    now = 60_000;
    expect(await runner.run(aRun())).toMatchObject({ output: '4' });
    expect(started).toBe(2);
  });

  test('start nothing before they are told to', async () => {
    const runner = createPipelineRunner(common);
    opened.push(runner);
    expect(started).toBe(0);
    runner.start();
    expect(started).toBe(1);
    await runner.run(aRun());
    expect(started).toBe(1);
  });

  test('say why they cannot run anything', async () => {
    unstartable = 1;
    const runner = createPipelineRunner({ ...common, restartDelaysS: [0.05] });
    opened.push(runner);
    expect(runner.problem()).toBeNull();
    runner.start();
    await until(() => runner.problem()?.includes('no-such-thread') ?? false, 'Nothing is reported.');
    await until(() => runner.problem() === null, 'It stays down.');
  });
});

test('pipelines that were slow are not kept for longer than they are', () => {
  let now = 0;
  const slow = createSlowPipelines(() => now);
  for (let i = 0; i < 1_000; i++) {
    slow.add(`pipe_${i}`);
    now += 1_000;
    expect(slow.size()).toBeLessThanOrEqual(61);
  }
  expect([slow.has('pipe_999'), slow.has('pipe_940'), slow.has('pipe_900')]).toEqual([true, false, false]);
  slow.add('pipe_999');
  now += 59_999;
  expect(slow.has('pipe_999')).toBe(true);
});
