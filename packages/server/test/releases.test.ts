import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../src/core/version.ts';

const root = join(import.meta.dir, '../../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Those with a heading of their own, the newest first. What comes next is under *Unreleased*. */
const releasesIn = (changelog: string): string[] =>
  [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, version = '']) => version);

/** Where what a version left behind is kept, for every later one to open. */
const leftBy = (version: string) =>
  version === '0.1.0' ? 'first-edition' : `edition-${version.replaceAll('.', '-')}`;

const lacking = (changelog: string): string[] =>
  ['0.1.0', ...releasesIn(changelog)]
    .flatMap(version => ['sqlite.tar.gz', 'postgres.sql.gz'].map(file => `${leftBy(version)}/${file}`))
    .filter(file => !existsSync(join(import.meta.dir, 'fixtures', file)));

describe('every version that was released', () => {
  test('has left what it wrote on both engines, for later ones to open', () => {
    expect(lacking(read('CHANGELOG.md'))).toEqual([]);
  });

  test('is missed if it has not', () => {
    const later = '# Changelog\n\n## [Unreleased]\n\n## [999.10.0] - 2099-01-01\n\n### Added\n';
    expect(lacking(later)).toEqual(['edition-999-10-0/sqlite.tar.gz', 'edition-999-10-0/postgres.sql.gz']);
  });

  test('is named alike in the changelog, in every package and by the service itself', () => {
    const packages = readdirSync(join(root, 'packages')).map(name => `packages/${name}/package.json`);
    const named = ['package.json', ...packages].map(file => JSON.parse(read(file)).version);
    const [newest = '0.1.0'] = releasesIn(read('CHANGELOG.md'));
    expect(new Set([...named, VERSION])).toEqual(new Set([newest]));
  });
});
