import { beforeAll, expect, test } from 'bun:test';
import { anEvent, aRequest, idAt, NOW } from './samples.ts';
import type { Subject } from './suite.ts';

export function textSearchContract(subject: Subject): void {
  const org = idAt('org', NOW);
  const texts = {
    plain: 'Hello World',
    quotes: `she said "hi" and 'bye'`,
    percent: '100% sure',
    underscore: 'snake_case',
    backslash: 'C:\\temp\\new',
    umlauts: 'Grüße aus Köln',
    emoji: 'well done 🎉',
    line: 'first\nsecond',
  };
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    const events = Object.entries(texts).map(([name, text]) => {
      const event = anEvent({ payload: JSON.stringify({ text }) });
      ids[name] = event.id;
      return event;
    });
    const piece = anEvent({ payload: JSON.stringify({ id: 77, path: 'C:\\data' }) });
    ids.piece = piece.id;
    await subject.storage.append([aRequest(org, [...events, piece])]);
  });

  const search = async (text: string) => {
    const page = { limit: 100, below: null, budgetMs: 2_000 };
    const { events } = await subject.storage.listEvents(org, { text }, page);
    return Object.keys(ids).filter(name => events.some(({ id }) => id === ids[name]));
  };

  test.each(Object.entries(texts))('finds %s by its exact text', async (name, text) => {
    expect(await search(text)).toEqual([name]);
  });

  test('finds text whatever its case', async () => {
    expect(await search('hello WORLD')).toEqual(['plain']);
    expect(await search('köLN')).toEqual(['umlauts']);
  });

  test.each([
    ['%', ['percent']],
    ['_', ['underscore']],
    ['\\', ['backslash', 'piece']],
    ['"hi"', ['quotes']],
    ["'bye'", ['quotes']],
    ['H%o', []],
    ['H_llo', []],
    ["' OR '1'='1", []],
    ['\0', []],
  ])('takes %j literally', async (text, found) => {
    expect(await search(text)).toEqual(found);
  });

  test.each([
    ['"id":77', ['piece']],
    ['{"ID":77,', ['piece']],
    ['"path":"C:\\\\data"', ['piece']],
    ['"id":7', ['piece']],
    ['"id":8', []],
    ['"text":"hello', ['plain']],
    ['"%":', []],
    ['"\0"', []],
  ])('finds %j as a piece of the JSON', async (text, found) => {
    expect(await search(text)).toEqual(found);
  });

  test('finds nothing of another organisation', async () => {
    const page = { limit: 10, below: null, budgetMs: 2_000 };
    const { events } = await subject.storage.listEvents(idAt('org', NOW), { text: 'Hello' }, page);
    expect(events).toEqual([]);
  });
}
