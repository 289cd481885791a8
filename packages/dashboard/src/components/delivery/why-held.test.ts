import { expect, test } from 'bun:test';
import { explainHeld } from './why-held.ts';

test('what is held for a listener may wait for its machine, and all else for whoever paused it', () => {
  const destination = { id: 'dst_1', name: 'Laptop' };
  expect(explainHeld({ ...destination, kind: 'webhook' })).toBe(
    'The destination is paused. The delivery is held, and sent when the destination is resumed.',
  );
  expect(explainHeld({ ...destination, kind: 'listener' })).toBe(
    'The destination is not connected, or paused. The delivery is held, and sent once “sluice listen” is connected and the destination is not paused.',
  );
});
