import type { Invariant } from './evidence.ts';

export const nobodyIsTrapped: Invariant = {
  name: 'addresses',
  promise: 'No connection is made to an address that is not allowed.',
  broken: ({ logs }) => logs.trapped.map(({ at, from }) => `Somebody connected from ${from} after ${at} ms.`),
};
