import { expect, test } from 'bun:test';
import { cleanLogs, did, die, eventOf, giveUp, lineOf, swapAttempts } from './clean-logs.ts';
import { judge } from './registry.ts';

/** What a fault excuses, and how far. */

test('an event that was erased while it was being accepted is missed by nobody; one that nobody asked to erase is', () => {
  const logs = cleanLogs();
  Object.assign(eventOf(logs, 'evt_2'), { isErased: true, payload: '{}', runs: [], deliveries: [] });
  logs.receivers = logs.receivers.filter(({ event }) => event !== 'evt_2');
  const endings = () => judge(logs).find(({ name }) => name === 'endings')?.broken ?? [];
  expect(endings()).not.toEqual([]);
  logs.people.push({ askedAt: 1_050, at: 1_200, organisation: 'alpha', what: 'erase', id: 'p1' });
  expect(endings()).toEqual([]);
});

test('what was on its way when a pause was answered is no violation, nor what a frozen node still had', () => {
  const logs = cleanLogs();
  logs.people.push(did('pause', 'dst_good', 3_000));
  logs.receivers.push({ ...lineOf(logs, 'evt_1'), at: 4_000 });
  logs.faults.push({ at: 3_500, until: 18_000, kind: 'freeze', met: true, detail: 'node 1' });
  logs.receivers.push({ ...lineOf(logs, 'evt_1'), at: 18_500 });
  expect(judge(logs).find(({ name }) => name === 'withdrawn')?.broken).toEqual([]);
});

test('a node that was stopped while others went on may end its attempt when it wakes', () => {
  const logs = cleanLogs();
  logs.faults.push({ at: 1_000, until: 9_000, kind: 'freeze', met: true, detail: 'node 1' });
  swapAttempts(logs, 10_000);
  expect(judge(logs).find(({ name }) => name === 'attempts')?.broken).toEqual([]);
});

test('an event may be given up where faults befell it often enough', () => {
  const logs = cleanLogs();
  giveUp(logs, 'evt_1');
  const endings = () => judge(logs).find(({ name }) => name === 'endings')?.broken ?? [];
  logs.faults.push({ at: 500, until: 500, kind: 'kill', met: true, detail: 'before it was sent' });
  logs.faults.push({ at: 1_200, until: 1_200, kind: 'kill', met: true, detail: 'node 0' });
  expect(endings()).not.toEqual([]);
  logs.faults.push({ at: 1_400, until: 1_400, kind: 'kill', met: true, detail: 'node 0' });
  expect(endings()).toEqual([]);
});

test('what a receiver that is always well never answered may be dead where faults befell every attempt', () => {
  const logs = cleanLogs();
  die(logs, 'evt_1', null);
  const deadLetters = () => judge(logs).find(({ name }) => name === 'dead letters')?.broken ?? [];
  for (let at = 2_000; at < 6_000; at += 1_000)
    logs.faults.push({ at, until: at, kind: 'kill', met: true, detail: 'node 0' });
  expect(deadLetters()).not.toEqual([]);
  logs.faults.push({ at: 6_000, until: 6_000, kind: 'kill', met: true, detail: 'node 0' });
  expect(deadLetters()).toEqual([]);
});
