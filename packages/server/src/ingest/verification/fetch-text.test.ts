import { expect, test } from 'bun:test';
import type { OutgoingResult } from '../../core/http/outgoing.ts';
import { createTextFetcher } from './fetch-text.ts';

test('eight texts are fetched at a time, and one more is to be asked for again', async () => {
  const waiting: ((result: OutgoingResult) => void)[] = [];
  const fetchText = createTextFetcher({ request: () => new Promise(resolve => waiting.push(resolve)) });
  const answered: OutgoingResult = {
    kind: 'answered',
    status: 200,
    headers: new Headers(),
    body: 'text',
    isCut: false,
  };
  const fetched = Array.from({ length: 8 }, (_, i) => fetchText(`https://example.com/${i}`));
  await expect(fetchText('https://example.com/8')).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(waiting).toHaveLength(8);
  for (const answer of waiting.splice(0)) answer(answered);
  expect(await Promise.all(fetched)).toEqual(Array.from({ length: 8 }, () => 'text'));
  const next = fetchText('https://example.com/9');
  waiting[0]?.(answered);
  expect(await next).toBe('text');
});
