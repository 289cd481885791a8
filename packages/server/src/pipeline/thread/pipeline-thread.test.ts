import { afterEach, describe, expect, test } from 'bun:test';
import { until } from '../../../test/support/until.ts';
import { startThread } from '../../runtime/thread.ts';
import { createLane, type Lane, type LaneOptions } from './pipeline-thread.ts';
import { type FromThread, failedReport, type RunReport, type RunRequest } from './protocol.ts';
import { createPipelineRunner } from './runner.ts';

let started = 0;
let ended = 0;
const startMisbehaving: LaneOptions['startThread'] = handlers => {
  started++;
  const thread = startThread(new URL('../../../test/support/misbehaving-thread.ts', import.meta.url), {
    onMessage: message => handlers.onMessage(message as FromThread),
    onFailure: handlers.onFailure,
  });
  return {
    post: thread.post,
    end() {
      ended++;
      thread.end();
    },
  };
};

const common = {
  startThread: startMisbehaving,
  secretKey: 'a secret key for tests, 32 characters or more',
  answer: async () => null,
  isAway: () => false,
  stuckAfterMs: 500,
};

const lanes: { close(): void }[] = [];
afterEach(() => {
  for (const lane of lanes.splice(0)) lane.close();
  started = 0;
  ended = 0;
});

function openLane(given: Partial<LaneOptions> = {}): Lane {
  const lane = createLane({
    ...common,
    onStuck: async (_request, reason, step) => failedReport(step, reason),
    ...given,
  });
  lanes.push(lane);
  return lane;
}

const pipeline = { id: 'pipe_a', version: 1, name: 'A', sources: [], steps: [], destinations: [] };
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

describe('a lane', () => {
  test('starts its thread for the first run, and keeps it for the next', async () => {
    const lane = openLane();
    expect(started).toBe(0);
    const reports = await Promise.all([lane.run(aRun()), lane.run(aRun())]);
    expect(reports.map(outcomeOf)).toEqual(['routed', 'routed']);
    expect(await lane.run(aRun())).toMatchObject({ output: '3' });
    expect(started).toBe(1);
    expect(lane.inFlight()).toBe(0);
  });

  test('starts its thread before the first run where that is asked for', async () => {
    const lane = openLane();
    lane.warmUp();
    lane.warmUp();
    expect(started).toBe(1);
    expect(outcomeOf(await lane.run(aRun()))).toBe('routed');
    expect(started).toBe(1);
  });

  test('still knows the run that does not end when it has counted to the end of 32 bits', async () => {
    const lane = openLane({ firstNumber: 0x7fff_fffe });
    expect(outcomeOf(await lane.run(aRun()))).toBe('routed');
    const [stuck, after] = [lane.run(aRun('hang')), lane.run(aRun())];
    expect(outcomeOf(await stuck)).toBe('failed');
    expect(outcomeOf(await after)).toBe('routed');
    expect(started).toBe(2);
  });

  test('cuts a run that does not end, and lets all the others through', async () => {
    const lane = openLane();
    const before = lane.run(aRun());
    const stuck = lane.run(aRun('hang'));
    const after = Array.from({ length: 20 }, () => lane.run(aRun()));
    expect(outcomeOf(await before)).toBe('routed');
    expect(await stuck).toMatchObject({
      outcome: 'failed',
      step: 2,
      reason: expect.stringContaining('did not get on'),
    });
    expect((await Promise.all(after)).map(outcomeOf)).toEqual(after.map(() => 'routed'));
    expect(started).toBe(2);
  });

  test('survives a thread that dies, and blames the run that it died of', async () => {
    const lane = openLane();
    const [crash, other] = [lane.run(aRun('crash')), lane.run(aRun())];
    expect(await crash).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('It was told to.'),
    });
    expect(outcomeOf(await other)).toBe('routed');
    expect(outcomeOf(await lane.run(aRun()))).toBe('routed');
  });

  test('takes no run that waits for an answer for one that is stuck', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<null>();
    let asked = 0;
    const lane = openLane({
      answer: () => {
        asked++;
        return released;
      },
    });
    const waits = lane.run(aRun('wait'));
    await until(() => asked === 1, 'Nobody asked.');
    const isOverdueAt = performance.now() + 2 * common.stuckAfterMs;
    await until(() => performance.now() > isOverdueAt, 'Time stands still.');
    release(null);
    expect(outcomeOf(await waits)).toBe('routed');
    expect(started).toBe(1);
  });

  test('runs what waited for an answer again when its thread is replaced', async () => {
    const lane = openLane();
    const waits = lane.run(aRun('wait'));
    const stuck = lane.run(aRun('hang'));
    expect(outcomeOf(await stuck)).toBe('failed');
    expect(outcomeOf(await waits)).toBe('routed');
  });

  test('ends a thread that nobody has used for a while, and starts another when it is wanted', async () => {
    const lane = openLane({ idleMs: 250 });
    await lane.run(aRun());
    await until(() => ended === 1, 'It is kept.');
    expect(await lane.run(aRun())).toMatchObject({ output: '1' });
    expect(started).toBe(2);
  });
});

describe('two lanes', () => {
  test('give a run that got its thread stuck a second chance alone, and then give it up', async () => {
    const runner = createPipelineRunner(common);
    lanes.push(runner);
    const other = { ...aRun(), pipeline: { ...pipeline, id: 'pipe_b' } };
    const [stuck, through] = [runner.run(aRun('hang')), runner.run(other)];
    expect(outcomeOf(await through)).toBe('routed');
    expect(await stuck).toMatchObject({ outcome: 'failed', step: 2 });
    // One thread that was ended, one that took over, and one of the slow lane.
    expect(started).toBe(3);
    expect(await runner.run(other)).toMatchObject({ outcome: 'routed', output: '2' });
  });

  test('take a pipeline that proved slow out of the way of the others, for a while', async () => {
    let now = 0;
    const runner = createPipelineRunner({ ...common, now: () => now });
    lanes.push(runner);
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
});
