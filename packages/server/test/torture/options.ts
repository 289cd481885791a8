import { parseArgs } from 'node:util';
import type { Engine, RunOptions } from './schedule.ts';

/** What `npm run torture` was asked for; a sentence where that cannot be done. */
export function readOptions(args: readonly string[]): RunOptions | string {
  let given: Partial<Record<'engine' | 'minutes' | 'nodes' | 'seed', string>>;
  try {
    const option = { type: 'string' } as const;
    const options = { engine: option, minutes: option, nodes: option, seed: option };
    given = parseArgs({ args: [...args], options }).values;
  } catch (error) {
    return (error as Error).message;
  }
  const { engine = 'sqlite', minutes = '2', seed = '1' } = given;
  if (engine !== 'sqlite' && engine !== 'postgres') return '--engine must be sqlite or postgres.';
  const nodes = Number(given.nodes ?? (engine === 'sqlite' ? 1 : 3));
  if (!(Number(minutes) > 0)) return '--minutes must be a number above 0.';
  if (!Number.isInteger(nodes) || nodes < 1) return '--nodes must be a whole number from 1.';
  if (engine === 'sqlite' && nodes > 1) return '--nodes must be 1 with the embedded database.';
  if (!Number.isSafeInteger(Number(seed))) return '--seed must be a whole number.';
  return { engine: engine satisfies Engine, seconds: Number(minutes) * 60, nodes, seed: Number(seed) };
}
