import { expect, test } from 'bun:test';
import { Problem } from '../core/errors.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createApp } from './app.ts';
import { createReadiness, shareChecks } from './readiness.ts';

const able = { isDraining: () => false, pipelineProblem: () => null, checkWritable: async () => {} };

/** What `/readyz` answers of a process that is able to work but for this. */
async function ask(but: Partial<Parameters<typeof createReadiness>[0]>) {
  const app = createApp({
    logger: createLogger('silent'),
    metrics: createMetrics({ waiting: () => 0, countWaiting: async () => null, version: '0' }),
    checkReady: createReadiness({ ...able, ...but }),
    parts: [],
  });
  const response = await app.request('/readyz');
  return { status: response.status, body: await response.json() };
}

test('a process is ready that can write and run', async () => {
  expect(await ask({})).toEqual({ status: 200, body: { data: { status: 'ready' } } });
});

test('one that is stopping is not, and asks nothing more of storage', async () => {
  let checks = 0;
  const checkWritable = async () => void checks++;
  expect(await ask({ isDraining: () => true, checkWritable })).toMatchObject({
    status: 503,
    body: { error: { message: 'This process is stopping.' } },
  });
  expect(checks).toBe(0);
});

test('one that cannot run pipelines says why', async () => {
  const problem = 'The thread that runs pipelines is down: out of memory';
  expect(await ask({ pipelineProblem: () => problem })).toMatchObject({
    status: 503,
    body: { error: { message: problem } },
  });
});

test('one that cannot write answers what storage says', async () => {
  const away = new Problem('storage_unavailable', { message: 'The disk is full.', retryAfter: 7 });
  expect(await ask({ checkWritable: () => Promise.reject(away) })).toMatchObject({
    status: 503,
    body: { error: { code: 'storage_unavailable', message: 'The disk is full.' } },
  });
});

test('those who ask at once share one check, and the next one asks again', async () => {
  const checks: PromiseWithResolvers<void>[] = [];
  const check = shareChecks(() => {
    const asked = Promise.withResolvers<void>();
    checks.push(asked);
    return asked.promise;
  });
  const together = [check(), check(), check()];
  expect(checks).toHaveLength(1);
  checks[0]?.reject(new Error('The disk is full.'));
  const ends = await Promise.allSettled(together);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);

  const again = check();
  expect(checks).toHaveLength(2);
  checks[1]?.resolve();
  await again;
});
