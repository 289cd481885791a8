import { afterEach, describe, expect, jest, test } from 'bun:test';
import { nextTurn } from '../../test/support/next-turn.ts';
import { TEST_SECRET_KEY } from '../../test/support/service.ts';
import { nothingGiven, recordTerminal } from '../../test/support/terminal.ts';
import { Problem } from '../core/errors.ts';
import { readSettings } from '../settings.ts';
import { createServe, welcome } from './serve.ts';

const settings = readSettings({});
const before = { SIGTERM: process.listeners('SIGTERM'), SIGINT: process.listeners('SIGINT') };
afterEach(() => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    for (const listener of process.listeners(signal)) {
      if (!before[signal].includes(listener)) process.off(signal, listener);
    }
  }
});

function listen() {
  const terminal = recordTerminal();
  return { terminal, said: terminal.complaints };
}

const timeouts = { lastAnswersMs: 20, stopMs: 20 };

describe('serve', () => {
  test('leaves with 0 though the stop never ends', async () => {
    const { terminal, said } = listen();
    const started = Promise.withResolvers<void>();
    const serve = createServe(async () => {
      setTimeout(started.resolve);
      return { port: 1, drain() {}, stop: () => new Promise(() => {}) };
    }, timeouts);
    const left = serve.run(nothingGiven, { settings, terminal });
    await started.promise;
    process.emit('SIGTERM');
    expect(await left).toBe(0);
    expect(said.at(-1)).toContain('did not stop in time');
  });

  test('leaves within the ten seconds that are promised, whatever hangs', async () => {
    jest.useFakeTimers();
    try {
      const { terminal } = listen();
      const hangs = Promise.withResolvers<void>();
      const serve = createServe(async () => ({
        port: 1,
        drain() {},
        stop() {
          hangs.resolve();
          return new Promise(() => {});
        },
      }));
      let code: number | undefined;
      void serve.run(nothingGiven, { settings, terminal }).then(left => (code = left));
      await nextTurn();
      process.emit('SIGTERM');
      await hangs.promise;
      jest.advanceTimersByTime(10_000);
      await nextTurn();
      expect(code).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  test('goes on serving for the time that it is to drain, and stops then', async () => {
    const terminal = recordTerminal();
    const { said } = terminal;
    const started = Promise.withResolvers<void>();
    const order: string[] = [];
    const serve = createServe(async () => {
      setTimeout(started.resolve);
      return {
        port: 1,
        drain: () => void order.push(`drain ${said.length}`),
        stop: async () => void order.push(`stop ${said.length}`),
      };
    }, timeouts);
    const draining = readSettings({ SLUICE_DRAIN_SECONDS: '1' });
    const left = serve.run(nothingGiven, { settings: draining, terminal });
    await started.promise;
    const before = said.length;
    process.emit('SIGTERM');
    // At once, and before anything is said of it.
    expect(order).toEqual([`drain ${before}`]);
    expect(await left).toBe(0);
    expect(said.slice(before)).toEqual([
      'Draining: requests are served for 1 s more, and /readyz answers 503.',
      'Stopping: finishing the requests that were accepted.',
    ]);
    expect(order).toEqual([`drain ${before}`, `stop ${before + 2}`]);
  });

  test('leaves with 1 when the stop fails, and says why', async () => {
    const { terminal, said } = listen();
    const started = Promise.withResolvers<void>();
    const serve = createServe(async () => {
      setTimeout(started.resolve);
      return { port: 1, drain() {}, stop: () => Promise.reject(new Error('The disk is full.')) };
    }, timeouts);
    const left = serve.run(nothingGiven, { settings, terminal });
    await started.promise;
    process.emit('SIGINT');
    expect(await left).toBe(1);
    expect(said.at(-1)).toBe('The disk is full.');
  });

  test('leaves with 1 when the database goes away during the start, and names it', async () => {
    const { terminal, said } = listen();
    const serve = createServe(() => Promise.reject(new Problem('storage_unavailable')), timeouts);
    const url = 'postgres://sluice:secret@db-1,db-2:5433/sluice';
    const on = readSettings({ SLUICE_DATABASE_URL: url, SLUICE_SECRET_KEY: TEST_SECRET_KEY });
    expect(await serve.run(nothingGiven, { settings: on, terminal })).toBe(1);
    expect(said).toEqual([
      'PostgreSQL at db-1:5432, db-2:5433 became unavailable during the start: its own log says why. Start Sluice again once it accepts writes.',
    ]);
  });

  test('leaves with 0 when it is told to stop before it has started', async () => {
    const serve = createServe(() => new Promise(() => {}), timeouts);
    const left = serve.run(nothingGiven, { settings, terminal: listen().terminal });
    process.emit('SIGTERM');
    expect(await left).toBe(0);
  });

  test('after a fatal fault gives the last answers a moment, then leaves with 1', async () => {
    const { terminal, said } = listen();
    const serve = createServe(
      async (_settings, { onFatal }) => {
        setTimeout(() => onFatal('The disk failed.'));
        return { port: 1, drain() {}, stop: async () => {} };
      },
      { ...timeouts, lastAnswersMs: 60 },
    );
    const begun = performance.now();
    expect(await serve.run(nothingGiven, { settings, terminal })).toBe(1);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(59);
    expect(said).toContain('The disk failed.');
  });
});

describe('the welcome', () => {
  const lines = (environment: Record<string, string>, setupCode: string | null = null) =>
    welcome(readSettings(environment), { port: 8123, setupCode, drain() {}, stop: async () => {} });

  test('names an address that a browser can open', () => {
    expect(lines({})).toContain('http://localhost:8123/docs');
    expect(lines({ SLUICE_HOST: '::' })).toContain('http://localhost:8123/docs');
    expect(lines({ SLUICE_HOST: '::1' })).toContain('http://[::1]:8123/docs');
    expect(lines({ SLUICE_HOST: '10.1.2.3' })).toContain('http://10.1.2.3:8123/docs');
    expect(lines({ SLUICE_BASE_URL: 'https://sluice.example.com/' })).toContain(
      'https://sluice.example.com/docs',
    );
  });

  test('has the set-up code only while there is one', () => {
    expect(lines({}, 'abc123')).toContain('abc123');
    expect(lines({})).not.toContain('code');
  });
});
