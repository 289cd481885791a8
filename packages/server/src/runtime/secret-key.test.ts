import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../test/support/service.ts';
import { keepSecretKey, secretKeyFile } from './secret-key.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => rmSync(directory, { recursive: true }));

test('the key is made once, and readable by nobody else', () => {
  const inside = join(directory, 'not', 'there', 'yet');
  const key = keepSecretKey(inside);
  expect(key).toMatch(/^[\w-]{43}$/);
  expect(keepSecretKey(inside)).toBe(key);
  expect(statSync(secretKeyFile(inside)).mode & 0o777).toBe(0o600);
  expect(readdirSync(inside)).toEqual(['secret.key']);
});

test('two directories have two keys', () => {
  expect(keepSecretKey(join(directory, 'a'))).not.toBe(keepSecretKey(join(directory, 'b')));
});

test('a key that was emptied or cut is not used, and not replaced', () => {
  for (const text of ['', 'short']) {
    writeFileSync(secretKeyFile(directory), text);
    expect(() => keepSecretKey(directory)).toThrow('is damaged');
  }
});
