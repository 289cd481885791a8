import { expect, test } from 'bun:test';
import { stopAll } from './part.ts';

test('every part is stopped, in order, whatever becomes of those before', async () => {
  const stopped: string[] = [];
  const problems: unknown[] = [];
  const part = (name: string, problem?: Error) => ({
    async stop() {
      stopped.push(name);
      if (problem) throw problem;
    },
  });
  const throwing = {
    stop(): Promise<void> {
      stopped.push('throws');
      throw new Error('at once');
    },
  };
  await stopAll(
    [[part('server'), part('delivery', new Error('away'))], [throwing], [part('storage')]],
    error => problems.push(error),
  );
  expect(stopped).toEqual(['server', 'delivery', 'throws', 'storage']);
  expect(problems.map(String)).toEqual(['Error: away', 'Error: at once']);
});
