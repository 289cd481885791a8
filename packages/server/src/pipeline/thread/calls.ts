import type { OutgoingResult } from '../../core/http/outgoing.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { parseJson } from '../../core/json/json.ts';
import type { ClassifyCache, DedupeStore, EntityReader, ModelClient } from '../../core/kinds/step-ports.ts';
import { createBatcher } from '../../core/work/batcher.ts';
import type { PortName } from './protocol.ts';

/** What steps ask of the world, asked of the other thread. */
export interface Caller {
  readonly dedupe: DedupeStore;
  readonly cache: ClassifyCache;
  readonly model: ModelClient;
  readonly entities: EntityReader;
  wait(ms: number): Promise<void>;
  resolve(call: number, answer: unknown): void;
  reject(call: number, error: Error): void;
  /** Somebody has to wait, for whatever it is. */
  tellOfWait(): void;
  /** Resolves when somebody next has to wait for an answer. */
  nextWait(): Promise<void>;
}

/** A result as it crosses threads, which headers do not. */
export type PlainResult =
  | (Omit<Extract<OutgoingResult, { kind: 'answered' }>, 'headers'> & {
      readonly headers: readonly (readonly [string, string])[];
    })
  | Extract<OutgoingResult, { kind: 'failed' }>;

type Look = { readonly orgId: string; readonly scope: string; readonly key: string };

export function createCaller(post: (call: number, name: PortName, args: readonly unknown[]) => void): Caller {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  let someoneWaits = Promise.withResolvers<void>();

  function tellOfWait(): void {
    someoneWaits.resolve();
    someoneWaits = Promise.withResolvers();
  }

  function ask<T>(name: PortName, ...args: readonly unknown[]): Promise<T> {
    const call = ++last;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(call, answer);
    post(call, name, args);
    tellOfWait();
    return answer.promise as Promise<T>;
  }

  // Looks that are taken in one turn go over together: most pipelines that deduplicate do so for every event.
  const looks = createBatcher<Look, string | null>({
    write: together => ask('findClaims', together),
    atOnce: Number.POSITIVE_INFINITY,
    whenAway: 'reject',
    whenRefused: 'reject',
  });

  return {
    dedupe: {
      findClaim(orgId, scope, key) {
        tellOfWait();
        return looks.add({ orgId, scope, key });
      },
    },
    cache: {
      claimLabel: (...args) => ask('claimLabel', ...args),
      keepLabel: (...args) => ask('keepLabel', ...args),
      releaseLabel: (...args) => ask('releaseLabel', ...args),
    },
    model: {
      async request(request) {
        const result = await ask<PlainResult>('request', request);
        return result.kind === 'failed'
          ? result
          : { ...result, headers: new Headers(result.headers.map(([name, value]) => [name, value])) };
      },
    },
    entities: {
      async readTraits(orgId, entity) {
        const text = await ask<string | null>('readTraits', orgId, entity);
        return text === null ? null : (parseJson(text) as JsonObject);
      },
    },
    wait: ms => {
      tellOfWait();
      return new Promise(resolve => setTimeout(resolve, ms));
    },
    resolve(call, answer) {
      waiting.get(call)?.resolve(answer);
      waiting.delete(call);
    },
    reject(call, error) {
      waiting.get(call)?.reject(error);
      waiting.delete(call);
    },
    tellOfWait,
    nextWait: () => someoneWaits.promise,
  };
}
