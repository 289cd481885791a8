import { beforeEach, expect, test } from 'bun:test';
import { createRemovals, type Removals, UNDO_MS } from './removals.ts';

let now = 0;
let timers: { at: number; act: () => void }[] = [];
let happened: string[] = [];
let removals: Removals;

beforeEach(() => {
  [now, timers, happened] = [0, [], []];
  removals = createRemovals({
    now: () => now,
    after(ms, act) {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return () => {
        timers = timers.filter(one => one !== timer);
      };
    },
    onDone: async () => happened.push(`read again, hidden: ${isHidden('a')}`),
    onFailed: ({ message }, error) => happened.push(`${message} failed: ${(error as Error).message}`),
  });
});

const isHidden = (id: string) => removals.pending().some(one => one.hides('/things', { id }));
const remove = (id: string, act: () => Promise<void> = async () => undefined) =>
  removals.add({
    message: id,
    hides: (list, row) => list === '/things' && (row as { id: string }).id === id,
    carryOut: ({ afterMs, isLeaving }) => {
      happened.push(`${id} after ${afterMs}${isLeaving ? ', leaving' : ''}`);
      return act();
    },
  });
/** Moves the clock, and lets all that follows from it happen. */
async function pass(ms: number): Promise<void> {
  now += ms;
  for (const { act } of timers.filter(({ at }) => at <= now)) act();
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

test('it is shown as done at once, carried out after its time, and forgotten once all is read again', async () => {
  remove('a');
  expect([isHidden('a'), isHidden('b')]).toEqual([true, false]);
  await pass(UNDO_MS - 1);
  expect(happened).toEqual([]);
  await pass(1);
  expect(happened).toEqual([`a after ${UNDO_MS}`, 'read again, hidden: true']);
  expect([removals.pending(), timers]).toEqual([[], []]);
});

test('what is taken back is never carried out', async () => {
  remove('a');
  remove('b');
  removals.undo(removals.pending()[0]?.key ?? 0);
  expect([isHidden('a'), isHidden('b')]).toEqual([false, true]);
  await pass(UNDO_MS);
  expect(happened[0]).toBe(`b after ${UNDO_MS}`);
  expect(happened).not.toContain(`a after ${UNDO_MS}`);
});

test('who leaves the page has it carried out then, once', async () => {
  remove('a');
  await pass(3_000);
  await removals.flush(true);
  await pass(UNDO_MS);
  expect(happened).toEqual(['a after 3000, leaving', 'read again, hidden: true']);
});

test('where it fails what was gone is there again, and it is said why', async () => {
  remove('a', () => Promise.reject(new Error('No.')));
  await pass(UNDO_MS);
  expect(happened).toEqual([`a after ${UNDO_MS}`, 'a failed: No.']);
  expect(isHidden('a')).toBe(false);
});

test('while it is under way it can be taken back no longer, and can be waited for', async () => {
  const gate = Promise.withResolvers<void>();
  remove('a', () => gate.promise);
  await pass(UNDO_MS);
  const [{ key, isUnderWay } = { key: 0, isUnderWay: false }] = removals.pending();
  expect(isUnderWay).toBe(true);
  removals.undo(key);
  expect(isHidden('a')).toBe(true);
  void removals.pending()[0]?.ended?.then(() => happened.push('ended'));
  void removals.flush(false).then(() => happened.push('flushed'));
  await pass(0);
  expect(happened).toEqual([`a after ${UNDO_MS}`]);
  gate.resolve();
  await pass(0);
  expect(isHidden('a')).toBe(false);
  expect(happened.slice(1)).toEqual(['read again, hidden: true', 'ended', 'flushed']);
});
