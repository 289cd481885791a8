import { expect, test } from 'bun:test';
import { type PaletteItem, rankItems, withPicked } from './palette-items.ts';

const page = (label: string): PaletteItem => ({ key: `page ${label}`, label, description: 'Page' });
const thing = (label: string): PaletteItem => ({
  key: `thing ${label}`,
  label,
  description: 'source',
  isThing: true,
});
const ranked = (typed: string, ...items: PaletteItem[]) => rankItems(items, typed).map(({ key }) => key);

test('an exact name goes before a prefix, that before a word, and that before the middle of one', () => {
  const all = ['My events', 'Events today', 'Prevents', 'Events'].map(page);
  expect(ranked('events', ...all)).toEqual([
    'page Events',
    'page Events today',
    'page My events',
    'page Prevents',
  ]);
});

test('a thing goes before a page of the same name, and stays where it was found by its id', () => {
  expect(ranked('events', page('Events'), thing('Events'))).toEqual(['thing Events', 'page Events']);
  expect(ranked('src_1', page('Sources'), thing('Shop'))).toEqual(['thing Shop']);
});

test('the one picked last is the first of the recent ones, once', () => {
  const picked = ['a', 'b', 'a', 'c', 'd', 'e', 'f'].map(page);
  const recent = picked.reduce<PaletteItem[]>(withPicked, []);
  expect(recent.map(({ label }) => label)).toEqual(['f', 'e', 'd', 'c', 'a']);
});
