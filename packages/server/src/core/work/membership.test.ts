import { expect, test } from 'bun:test';
import { seconds } from '../clock.ts';
import { findStrays, HEARTBEAT_EVERY_MS, NODE_SILENCE_MS } from './membership.ts';

const none = { events: [], deliveries: [], probes: [], listeners: [], jobs: [], labels: [] };

test('a node that died is found within the 20 seconds that are promised: by the first heartbeat after its silence', () => {
  expect(NODE_SILENCE_MS + HEARTBEAT_EVERY_MS).toBeLessThanOrEqual(seconds(20));
});

test('what was claimed by a node that is not among the living is stray', () => {
  const tokens = ['dead 1', 'live 1', 'live', '', 'a-token-of-the-first-edition'];
  const strays = ['dead 1', '', 'a-token-of-the-first-edition'];
  expect(
    findStrays(
      {
        events: tokens,
        deliveries: tokens,
        probes: tokens,
        listeners: tokens,
        jobs: tokens,
        labels: tokens,
        nodes: ['live', 'me'],
      },
      'me',
      new Set(),
    ),
  ).toEqual({
    events: strays,
    deliveries: strays,
    probes: strays,
    listeners: strays,
    jobs: strays,
    labels: strays,
  });
});

test('what this node has claimed and does not know of is stray, but for what has a lease', () => {
  const tokens = ['me 1', 'me 2', 'live 1'];
  const claims = {
    events: tokens,
    deliveries: tokens,
    probes: tokens,
    listeners: tokens,
    jobs: tokens,
    labels: tokens,
    nodes: ['live', 'me'],
  };
  expect(findStrays(claims, 'me', new Set(['me 2']))).toEqual({
    ...none,
    events: ['me 1'],
    deliveries: ['me 1'],
    probes: ['me 1'],
    listeners: ['me 1'],
  });
});
