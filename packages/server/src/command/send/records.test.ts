import { expect, test } from 'bun:test';
import { readCsvRecords } from './records.ts';

async function recordsOf(text: string, chunk: number): Promise<string[]> {
  const bytes = Buffer.from(text);
  async function* input() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const found: string[] = [];
  for await (const record of readCsvRecords(input(), () => {})) found.push(record.text);
  return found;
}

test.each([1, 3, 1_000])('a quote opens a cell only at its start, read by %d bytes', async chunk => {
  expect(await recordsOf('a,5" disk\nb,c\n', chunk)).toEqual(['a,5" disk', 'b,c']);
  expect(await recordsOf('"a\nb",c\nd\n', chunk)).toEqual(['"a\nb",c', 'd']);
  expect(await recordsOf('x,"a ""b""\n",c\nd\n', chunk)).toEqual(['x,"a ""b""\n",c', 'd']);
  expect(await recordsOf('"a"5" b\nc\n', chunk)).toEqual(['"a"5" b', 'c']);
  expect(await recordsOf('\uFEFF"a\nb"\nc\n', chunk)).toHaveLength(2);
});
