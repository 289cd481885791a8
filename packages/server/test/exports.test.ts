import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportedTwice, exportsIn, type SourceFile, unusedExports } from './support/export-rules.ts';

const root = join(import.meta.dir, '../../..');

const filesIn = (folder: string): SourceFile[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => /\.(tsx?|mjs)$/.test(file))
    .map(file => join(folder, file))
    .map(path => ({ path, source: readFileSync(join(root, path), 'utf8') }));

const isTest = ({ path }: SourceFile): boolean => /\.test\.tsx?$/.test(path);

const server = [...filesIn('packages/server/src'), ...filesIn('packages/contract/src')];
const dashboard = filesIn('packages/dashboard/src');
const sdk = filesIn('packages/sdk/src');
const source = [...server, ...dashboard, ...sdk].filter(file => !isTest(file));
const users = [
  ...server,
  ...dashboard,
  ...sdk,
  ...filesIn('packages/server/test'),
  ...filesIn('packages/sdk/test'),
  ...filesIn('scripts'),
];

describe('the source', () => {
  test('exports a name from one place only, in the server with the contract, in the dashboard and in the SDK', () => {
    expect(exportedTwice(server.filter(file => !isTest(file)))).toEqual([]);
    expect(exportedTwice(dashboard.filter(file => !isTest(file)))).toEqual([]);
    expect(exportedTwice(sdk.filter(file => !isTest(file)))).toEqual([]);
  });

  test('exports nothing that no other file imports', () => {
    expect(unusedExports(source, users)).toEqual([]);
  });
});

describe('exports are read', () => {
  test('however they are written', () => {
    const written = `export const a = 1;
export async function b() {}
export function* c() {}
export interface D {}
export type D = string;
export class E {}
/* export const f = 1; */
// export const g = 1;
const h = 1;
export default function I() {}
export * from './j.ts';
`;
    expect(exportsIn(written)).toEqual(['a', 'b', 'c', 'D', 'E']);
  });

  test('and a name that two files export is told with both places', () => {
    const files = ['x.ts', 'y.ts'].map(path => ({ path, source: 'export const email = 1;\n' }));
    expect(exportedTwice(files)).toEqual(['email is exported by x.ts and by y.ts.']);
  });
});

describe('a name is used', () => {
  const at = 'packages/server/src/core/ids.ts';
  const unusedWith = (path: string, source: string) =>
    unusedExports([{ path: at, source: 'export const newId = 1;\n' }], [{ path, source }]).length === 1;

  test('where another file imports it by name, or reads it off the module', () => {
    const beside = 'packages/server/src/core/other.ts';
    expect(unusedWith(beside, "import { newId } from './ids.ts';")).toBe(false);
    expect(unusedWith(beside, "import {\n  type Id,\n  newId as make,\n} from './ids.ts';")).toBe(false);
    expect(unusedWith(beside, "import * as ids from './ids.ts';\nids.newId();")).toBe(false);
    expect(unusedWith(beside, "export { type Id, newId } from './ids.ts';")).toBe(false);
  });

  test('but not by itself, in a comment, or where the name is another file’s', () => {
    expect(unusedWith(at, 'newId();')).toBe(true);
    const beside = 'packages/server/src/core/other.ts';
    expect(unusedWith(beside, "// import { newId } from './ids.ts';")).toBe(true);
    expect(unusedWith(beside, "import { newId } from './names.ts';")).toBe(true);
    expect(unusedWith(beside, "import * as ids from './ids.ts';\nids.idFloor();")).toBe(true);
  });

  test('wherever in the contract it stands', () => {
    const files = [{ path: 'packages/contract/src/event.ts', source: 'export const moment = 1;\n' }];
    const use = "import { moment } from '@sluice/contract';";
    expect(unusedExports(files, [{ path: 'packages/dashboard/src/x.ts', source: use }])).toEqual([]);
  });
});
