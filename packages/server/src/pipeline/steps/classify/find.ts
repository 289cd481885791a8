import { seconds } from '../../../core/clock.ts';
import type { Tally } from '../../../core/event/outcome.ts';
import type { ModelClient } from '../../ports/model.ts';
import type { StepPorts } from '../../ports/registry.ts';
import { askModel, type ModelAnswer } from './ask.ts';
import type { ModelWire, Question } from './wire.ts';

/** An answer, and what it cost: a call, or a look into the cache, or waiting for somebody else's call. */
export interface FoundAnswer {
  readonly answer: ModelAnswer;
  readonly tally: Tally;
}

interface LabelSearch {
  readonly ports: Pick<StepPorts, 'labels' | 'sharedCalls' | 'clock' | 'wait'>;
  readonly client: ModelClient;
  readonly key: string;
  readonly orgId: string;
  readonly timeoutMs: number;
}

/** Who asks the same meanwhile, in this process or on another node, waits for the same call. */
export async function resolveLabel(
  wire: ModelWire,
  question: Question,
  search: LabelSearch,
): Promise<FoundAnswer> {
  const { ports, orgId, key } = search;
  const { answer: found, isShared } = await ports.sharedCalls.join(`${orgId} ${key}`, () =>
    findOnce(wire, question, search),
  );
  return isShared && found.tally === 'model_called' ? { ...found, tally: 'call_shared' } : found;
}

const LOOK_AGAIN_MS = 200;
/** For what comes after the answer: the lease must outlive the call. */
const LEASE_MARGIN_MS = seconds(10);

async function findOnce(wire: ModelWire, question: Question, search: LabelSearch): Promise<FoundAnswer> {
  const { ports, client, key, orgId, timeoutMs } = search;
  for (let waited = 0; ; waited += LOOK_AGAIN_MS) {
    const known = await ports.labels.claimLabel(orgId, key, timeoutMs + LEASE_MARGIN_MS);
    if (known.kind === 'hit')
      return {
        answer: { kind: 'label', label: known.label },
        tally: waited === 0 ? 'cache_hit' : 'call_shared',
      };
    if (known.kind === 'claimed') break;
    if (waited >= timeoutMs) {
      const reason = 'Another node has been asking the model for longer than the timeout.';
      return { answer: { kind: 'error', reason, retryAfterMs: null, isFinal: false }, tally: 'call_shared' };
    }
    await ports.wait(LOOK_AGAIN_MS);
  }
  const answer = await askModel(wire, question, { client, clock: ports.clock, timeoutMs });
  if (answer.kind === 'label') await ports.labels.keepLabel(orgId, key, answer.label);
  else await ports.labels.releaseLabel(orgId, key);
  return { answer, tally: 'model_called' };
}
