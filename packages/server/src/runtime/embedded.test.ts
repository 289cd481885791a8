import { expect, test } from 'bun:test';
import { embeddedFiles, lookUpFiles } from './embedded.ts';

const packed = new Blob([
  JSON.stringify({
    'dashboard/index.html': btoa('<p>'),
    'docs/index.html': btoa('<h1>'),
    constructor: btoa('x'),
  }),
]);

test('a file of the executable is found in its folder by its name, byte for byte', async () => {
  const { list, read } = lookUpFiles(packed, 'dashboard');
  expect(await list()).toEqual(['index.html']);
  expect(Buffer.from((await read('index.html')) ?? []).toString()).toBe('<p>');
});

test('what every object has is no file, nor is one of another folder', async () => {
  const { read } = lookUpFiles(packed, 'dashboard');
  const names = [
    'constructor',
    'toString',
    '__proto__',
    'hasOwnProperty',
    '../docs/index.html',
    'other.js',
    '',
  ];
  for (const name of names) expect([name, await read(name)]).toEqual([name, null]);
});

test('the files are read once', async () => {
  let reads = 0;
  const json = async () => {
    reads++;
    return { 'docs/a.js': '' };
  };
  const { read } = lookUpFiles({ json }, 'docs');
  await Promise.all([read('a.js'), read('a.js'), read('b.js')]);
  expect(reads).toBe(1);
});

test('there are none where this is no executable', () => {
  expect(embeddedFiles('docs')).toBeNull();
});
