import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { invariants } from './invariants/registry.ts';
import { NOT_TRIED } from './not-tried.ts';

/** What `docs/trust.md` says of a run is what a run does. */
const root = join(import.meta.dir, '../../../..');
const page = readFileSync(join(root, 'docs/trust.md'), 'utf8');

test('the page ends with all that a run does not try, as its report does', () => {
  const [, section = ''] = page.split('## What a run does not show\n');
  const listed = section.split(/^- /m).map(item => item.replaceAll(/\s+/g, ' ').trim());
  expect(listed.filter(item => item !== '')).toEqual(NOT_TRIED);
});

test('the page names each promise that a run is held to', () => {
  const folder = join(import.meta.dir, 'invariants');
  const files = readdirSync(folder).filter(file =>
    / Invariant = \{$/m.test(readFileSync(join(folder, file), 'utf8')),
  );
  expect(files).toHaveLength(invariants.length);
  const listed = [...page.matchAll(/\| `torture\/invariants\/([\w-]+\.ts)` \|/g)].map(([, file]) => file);
  expect(listed.toSorted()).toEqual(files.toSorted());
});
