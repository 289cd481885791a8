import { describe, expect, test } from 'bun:test';
import pg from 'pg';
import { Problem } from '../../core/errors.ts';
import { RemovedMeanwhile, retrying, toStorageError } from './failure.ts';

const answered = (code: string): pg.DatabaseError =>
  Object.assign(new pg.DatabaseError('a message of the server', 0, 'error'), { code });

describe('what goes wrong at PostgreSQL', () => {
  test.each(['08006', '53300', '55P03', '57014', '57P01', '57P03', '58030', '25006', '25P03'])(
    'is a server that cannot serve now: %s',
    code => {
      expect(toStorageError(answered(code))).toMatchObject({ code: 'storage_unavailable', retryAfter: 2 });
    },
  );

  test.each(['23505', '22021', '42P01', '40001'])('is thrown as it is: %s', code => {
    const error = answered(code);
    expect(toStorageError(error)).toBe(error);
  });

  test('is a connection that failed, where the server did not say a word', () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    expect(toStorageError(reset)).toMatchObject({ code: 'storage_unavailable', status: 503 });
  });

  test('is said in plain words when the disk is full', () => {
    const problem = toStorageError(answered('53100'));
    expect(problem).toBeInstanceOf(Problem);
    expect((problem as Problem).message).toContain('disk of the database is full');
  });
});

describe('a transaction that met another one', () => {
  /** Fails that many times, then succeeds. */
  const failing = (times: number, error: unknown) => {
    const attempt = async () => {
      attempt.count++;
      if (attempt.count <= times) throw error;
      return 'done';
    };
    attempt.count = 0;
    return attempt;
  };

  test.each([answered('40001'), answered('40P01'), new RemovedMeanwhile()])(
    'is tried again: %p',
    async error => {
      expect(await retrying(failing(2, error))).toBe('done');
    },
  );

  test('is given up after a few tries, with 503', async () => {
    const attempt = failing(100, answered('40P01'));
    expect(await retrying(attempt).catch((error: unknown) => error)).toMatchObject({
      code: 'storage_unavailable',
    });
    expect(attempt.count).toBeLessThan(10);
  });

  test('is not tried again where the failure is its own, or where it may have been committed', async () => {
    for (const error of [answered('23505'), new Problem('storage_unavailable')]) {
      const attempt = failing(1, error);
      expect(await retrying(attempt).catch((failure: unknown) => failure)).toBe(error);
      expect(attempt.count).toBe(1);
    }
  });
});
