import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STILL_HERE_MS } from '../telemetry/live-feed.ts';
import { LOCAL_IDLE_SECONDS, serveLocalSocket } from './local-socket.ts';

function inFolder<T>(work: (path: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  return work(join(folder, 'socket')).finally(() => rmSync(folder, { recursive: true }));
}

const ask = (path: string) => fetch('http://local/', { unix: path });

test('the socket is for its owner alone, and goes with the service', () =>
  inFolder(async path => {
    const socket = serveLocalSocket(path, async () => new Response('here'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await (await ask(path)).text()).toBe('here');
    await socket.stop();
    expect(existsSync(path)).toBe(false);
  }));

test('one that a killed process has left behind is replaced', () =>
  inFolder(async path => {
    await Bun.write(path, 'left behind');
    const socket = serveLocalSocket(path, async () => new Response('here'));
    expect(await (await ask(path)).text()).toBe('here');
    await socket.stop();
  }));

test('an answer that nothing is heard of is given up after the time that each request has', () =>
  inFolder(async path => {
    const socket = serveLocalSocket(path, () => new Promise(() => {}), { idleSeconds: 1 });
    await expect(ask(path)).rejects.toThrow();
    await socket.stop();
  }));

test('that time is longer than a feed is silent for', () => {
  expect(LOCAL_IDLE_SECONDS * 1_000).toBeGreaterThanOrEqual(2 * STILL_HERE_MS);
});
