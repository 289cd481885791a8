import { expect, test } from 'bun:test';
import { embeddedPages, lookUpPages } from './embedded.ts';

const packed = new Blob([JSON.stringify({ 'index.html': btoa('<p>'), __proto__x: btoa('x') })]);

test('a page of the executable is found by its name, byte for byte', async () => {
  const find = lookUpPages(packed);
  expect(Buffer.from((await find('index.html')) ?? []).toString()).toBe('<p>');
});

test('what every object has is no page', async () => {
  const find = lookUpPages(packed);
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'other.js', '']) {
    expect([name, await find(name)]).toEqual([name, null]);
  }
});

test('the pages are read once', async () => {
  let reads = 0;
  const find = lookUpPages({
    json: async () => {
      reads++;
      return { 'a.js': '' };
    },
  });
  await Promise.all([find('a.js'), find('a.js'), find('b.js')]);
  expect(reads).toBe(1);
});

test('there are none where this is no executable', () => {
  expect(embeddedPages()).toBeNull();
});
