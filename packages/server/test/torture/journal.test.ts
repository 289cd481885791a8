import { expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/service.ts';
import { openRunFiles } from './journal.ts';

test('a run that is repeated finds nothing of the one before in its folder', () => {
  const folder = join(temporaryDirectory(), 'sqlite-1');
  openRunFiles(folder).close();
  writeFileSync(join(folder, 'full-disk-1109.strace'), '(INJECTED)');
  const files = openRunFiles(folder);
  files.close();
  expect(readdirSync(folder).filter(name => !name.endsWith('.jsonl'))).toEqual([]);
});
