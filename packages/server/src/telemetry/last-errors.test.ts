import { expect, test } from 'bun:test';
import type { LastError } from '../core/stores/configuration/destinations.ts';
import { createLastErrors } from './last-errors.ts';

const attempt = (at: number, message: string | null, code: string | null = 'http_error') => ({
  ...{ n: 1, at, durationMs: 5, status: 503, code, message, request: '{}', response: '' },
});
const to = (destinationId: string) => ({ orgId: 'org', destinationId });

test('the latest error of each destination is written once, and kept while storage is away', async () => {
  const recorded: (readonly LastError[])[] = [];
  let isAway = true;
  const errors = createLastErrors({
    async recordLastErrors(given) {
      if (isAway) throw new Error('away');
      recorded.push(given);
    },
  });
  await errors.flush();
  for (let n = 0; n < 1_000; n++) errors.attempted(to('dst_a'), attempt(n, `It answered ${n}.`));
  errors.attempted(to('dst_b'), attempt(7, null));
  errors.attempted(to('dst_c'), attempt(8, null, null));
  await expect(errors.flush()).rejects.toThrow('away');
  errors.attempted(to('dst_b'), attempt(9, 'Later.'));
  isAway = false;
  await errors.flush();
  await errors.flush();
  expect(recorded).toEqual([
    [
      { orgId: 'org', id: 'dst_a', at: 999, message: 'It answered 999.' },
      { orgId: 'org', id: 'dst_b', at: 9, message: 'Later.' },
    ],
  ]);
});
