import { expect, test } from 'bun:test';
import { threadScript } from './script.ts';

test('a thread is started from where its script stands, or from among those of an executable', () => {
  const beside = new URL('../pipeline-thread.ts', 'file:///srv/sluice/src/compose/pipelines.ts');
  expect(threadScript(beside)).toBe('file:///srv/sluice/src/pipeline-thread.ts');
  for (const base of ['file:///$bunfs/root/main', 'file:///$bunfs/root/writer.js'])
    expect(threadScript(new URL('./reader.ts', base))).toBe('/$bunfs/root/reader.ts');
});
