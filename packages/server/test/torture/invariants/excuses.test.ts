import { expect, test } from 'bun:test';
import {
  answersTo,
  cleanLogs,
  did,
  die,
  eventOf,
  figuresOf,
  giveUp,
  killAt,
  lifeOf,
  lineOf,
  swapAttempts,
} from './clean-logs.ts';
import { gatherEvidence } from './evidence.ts';
import { deliverAs, messages } from './planted-messages.ts';
import { judge } from './registry.ts';
import { judgedPauseMs } from './withdrawn.ts';

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

test('a pause of a long run is judged beyond what was on its way and what somebody could not hear of', () => {
  const logs = cleanLogs();
  const judged = () => judge(logs).find(({ name }) => name === 'withdrawn')?.broken;
  const [sent] = logs.senders;
  if (sent) logs.senders.push({ ...sent, at: 400_000 });
  expect(judged()).toEqual(['No pause lasted longer than what is excused.']);
  logs.people.push(did('pause', 'dst_good', 100_000), did('resume', 'dst_good', 112_000));
  expect(judgedPauseMs(gatherEvidence(logs))).toBe(3_900);
  expect(judged()).toEqual([]);
  logs.faults.push({ at: 102_000, until: 106_000, kind: 'freeze', met: true, detail: 'node 1' });
  expect(judged()).toHaveLength(1);
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
  // The first before it was sent; and its last life, of which it is not known whether that came before.
  killAt(logs, 500, 1_200);
  expect(endings()).not.toEqual([]);
  killAt(logs, 1_400);
  expect(endings()).toEqual([]);
});

test('what a receiver that is always well never answered may be dead where faults befell every attempt', () => {
  const logs = cleanLogs();
  die(logs, 'evt_1', null);
  const deadLetters = () => judge(logs).find(({ name }) => name === 'dead letters')?.broken ?? [];
  killAt(logs, 2_000, 3_000, 4_000, 5_000);
  expect(deadLetters()).not.toEqual([]);
  killAt(logs, 6_000);
  expect(deadLetters()).toEqual([]);
});

test('nobody misses an answer of a node that was killed, frozen or starting, or whose storage was away', () => {
  const broken = (spoil: (logs: ReturnType<typeof cleanLogs>) => void) => {
    const logs = cleanLogs();
    const silence = { at: 16_000, status: null, lack: 'out of time', events: [] };
    Object.assign(answersTo(logs, 3)[0] ?? {}, silence);
    spoil(logs);
    return judge(logs).find(({ name }) => name === 'answers')?.broken;
  };
  const signals = (...names: string[]) => names.map((signal, n) => ({ at: 9_000 + n, signal }));
  expect(broken(() => {})).toHaveLength(1);
  expect(broken(logs => Object.assign(lifeOf(logs), { signals: signals('SIGSTOP', 'SIGCONT') }))).toEqual([]);
  expect(broken(logs => Object.assign(lifeOf(logs), { signals: signals('SIGKILL') }))).toEqual([]);
  expect(broken(logs => Object.assign(lifeOf(logs), { readyAt: 2_000 }))).toEqual([]);
  const away = { at: 12_000, until: 13_000, kind: 'postgres-alone', met: true, detail: '' };
  expect(broken(logs => void logs.faults.push(away))).toEqual([]);
  expect(broken(logs => void logs.faults.push({ ...away, at: 17_000, until: 18_000 }))).toHaveLength(1);
});

test('a node may end by itself of a disk that failed it, or start in vain while storage is away', () => {
  const broken = (life: object, fault: object) => {
    const logs = cleanLogs();
    Object.assign(lifeOf(logs), { signals: [], end: 1, ...life });
    logs.faults.push({ at: 100, until: 61_000, kind: 'full-disk', met: true, detail: '', ...fault });
    return judge(logs).find(({ name }) => name === 'ends')?.broken;
  };
  const failed = { said: 'The disk failed (SQLITE_IOERR_FSYNC): disk I/O error', trace: 'x.strace' };
  expect(broken(failed, { trace: 'x.strace' })).toEqual([]);
  expect(broken(failed, { trace: 'y.strace' })).toHaveLength(1);
  const inVain = { readyAt: null, said: 'PostgreSQL at 127.0.0.1:5432 cannot be used: it does not answer.' };
  expect(broken(inVain, { kind: 'postgres-kill' })).toEqual([]);
  expect(broken(inVain, { kind: 'postgres-kill', at: 61_000, until: 62_000 })).toHaveLength(1);
});

test('what was counted just before its node ended may be missed, and what was while its clock was ahead', () => {
  const broken = (spoil: (logs: ReturnType<typeof cleanLogs>) => void) => {
    const logs = cleanLogs();
    Object.assign(figuresOf(logs).figures, { 'overview received': 0, 'overview delivered': 0 });
    spoil(logs);
    return judge(logs).find(({ name }) => name === 'figures')?.broken;
  };
  expect(broken(() => {})).toHaveLength(2);
  expect(broken(logs => Object.assign(lifeOf(logs), { signals: [], at: 2_500 }))).toEqual([]);
  const clock = (detail: string) => ({ at: -1, until: -1, kind: 'clock', met: true, detail });
  expect(broken(logs => void logs.faults.push(clock('8 hours away from the real time')))).toEqual([]);
  expect(broken(logs => void logs.faults.push(clock('-8 hours away from the real time')))).toHaveLength(2);
});

test.each(messages.map(message => [message.kind, message] as const))(
  'what came to %s as it is recorded breaks nothing',
  (_kind, message) => {
    const logs = cleanLogs();
    deliverAs(logs, message);
    expect(judge(logs).find(({ name }) => name === 'bytes')?.broken).toEqual([]);
  },
);
