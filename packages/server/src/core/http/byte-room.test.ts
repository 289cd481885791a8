import { expect, test } from 'bun:test';
import { createByteRoom, createByteRooms } from './byte-room.ts';

test('a room takes what fits, nothing of what does not, and has it again once it is given back', () => {
  const room = createByteRoom(10);
  expect([room.take(7), room.take(4), room.take(3), room.take(1)]).toEqual([true, false, true, false]);
  room.give(7);
  expect([room.take(8), room.take(7)]).toEqual([false, true]);
});

test('a room for each name: one that is full takes nothing from another', () => {
  const roomOf = createByteRooms(10, createByteRoom(100));
  const [a, b] = [roomOf('a'), roomOf('b')];
  expect([a.take(10), a.take(1), roomOf('a').take(1), b.take(10)]).toEqual([true, false, false, true]);
  roomOf('a').give(4);
  expect([a.take(5), a.take(4), b.take(1)]).toEqual([false, true, false]);
  a.give(10);
  expect(roomOf('a').take(10)).toBe(true);
});

test('the room around all is shared: what one name holds of it another cannot have, and gives back', () => {
  const roomOf = createByteRooms(10, createByteRoom(15));
  const [a, b] = [roomOf('a'), roomOf('b')];
  expect([a.take(10), b.take(6), b.take(5), roomOf('c').take(1)]).toEqual([true, false, true, false]);
  a.give(10);
  expect([roomOf('c').take(10), b.take(1)]).toEqual([true, false]);
});
