import { expect, test } from 'bun:test';
import { newFolder } from '../../test/support/folder.ts';
import type { KeyState } from '../core/secrets/key-check.ts';
import { requireSameKey } from '../core/secrets/key-check.ts';
import { openStorage } from '../storage/open.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createKeyChange } from './key-change.ts';

const OLD = 'the old secret key of thirty-two characters';
const NEW = 'the new secret key of thirty-two characters';

test('on shared storage a node says of the previous key no more than it knows', async () => {
  const directory = newFolder();
  const own = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  const engine = { ...own, capabilities: { ...own.capabilities, isShared: true } };
  const slices = { pause: async () => {}, isStopping: () => false };
  const saidBy = async (present: string, previous: string): Promise<[KeyState, string]> => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: line => void lines.push(line) });
    const secretKeys = { present, previous };
    const keyState = await requireSameKey(engine.upkeep, secretKeys);
    await createKeyChange({ secretKeys, logger }, { engine, keyState }, slices)();
    return [keyState, lines.join('')];
  };
  await requireSameKey(engine.upkeep, { present: OLD, previous: null });

  // The first step of a change: the key to come is given as the previous one, so that the node can open both.
  const [state, said] = await saidBy(OLD, NEW);
  expect(state).toBe('all sealed with the current key');
  expect(said).toContain('keep it if you are starting a key change');
  expect(said).not.toContain('may be removed');
  expect((await saidBy(NEW, OLD))[1]).toContain('run sluice reseal');
  await engine.close();
});
