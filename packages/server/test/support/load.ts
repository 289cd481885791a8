import { expect } from 'bun:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newSecret } from '../../src/core/secrets/vault.ts';
import type { StorageEngine } from '../../src/core/stores/engine.ts';
import { sign } from './endpoints.ts';
import type { Seed, SeededSource } from './service.ts';
import { until } from './until.ts';

/**
 * Senders that keep both endpoints busy and record what they were answered, so that afterwards the journal can be held
 * to it. Every event has a type of its own, which is how it is found again.
 */
export interface Load {
  readonly requests: readonly SentRequest[];
  /** Sends until stopped, or until the server is gone. `reached` resolves once so many were accepted. */
  run(url: string, accepted: number): { readonly reached: Promise<void>; stop(): Promise<void> };
  /**
   * Sends until stopped, to these in turn. What was not accepted for want of an answer, or with 5xx, is sent again to the
   * next under its old key or ids, until it is.
   */
  persist(urls: readonly string[]): {
    /** Every status, with when it came; 0 stands for no answer. */
    readonly answers: readonly { readonly at: number; readonly tookMs: number; readonly status: number }[];
    stop(): Promise<void>;
  };
  /** Sends again what got no answer, under its old key or ids. Answers how many of them had been stored already. */
  retryUnanswered(url: string): Promise<number>;
}

export interface SentRequest {
  readonly endpoint: 'ingest' | 'webhook';
  readonly types: readonly string[];
  readonly body: string;
  readonly headers: Record<string, string>;
  /** Whether it has a key or ids, and so may be sent again. */
  readonly repeatable: boolean;
  /** None while nobody knows what became of it. */
  outcome?: Outcome;
}

type Outcome = { readonly kind: 'accepted'; readonly ids: readonly string[] } | { readonly kind: 'refused' };

interface Answered {
  readonly status: number;
  readonly events: readonly { readonly id: string; readonly duplicate: boolean }[];
}

const SENDERS = 8;
const REPEAT_AFTER_MS = 50;

export function createLoad(seed: Seed, webhook: SeededSource): Load {
  const requests: SentRequest[] = [];

  /** Every kind in turn: keyed or not, single or batch, with and without the sender's ids, and one that is refused. */
  function compose(): SentRequest {
    const n = requests.length;
    const key = { 'X-Ingest-Idempotency-Key': newSecret('key') };
    const batch = (size: number, more: (i: number) => object, headers: Record<string, string> = {}) => {
      const types = Array.from({ length: size }, (_, i) => `load.${n}.${i}`);
      const events = types.map((type, i) => ({ type, payload: { n, i }, ...more(i) }));
      return {
        endpoint: 'ingest' as const,
        types,
        body: JSON.stringify({ events }),
        headers: { Authorization: `Bearer ${seed.apiKey}`, ...headers },
        repeatable: true,
      };
    };
    switch (n % 6) {
      case 0:
        return batch(1, () => ({}), key);
      case 1:
        return batch(5, () => ({}), key);
      case 2:
        return batch(3, i => ({ id: `${n}/${i}` }));
      case 3:
        return { ...batch(2, () => ({})), repeatable: false };
      case 4: {
        const type = `load.${n}.0`;
        const body = JSON.stringify({ type, n });
        const headers = { ...key, 'X-Ingest-Signature': sign(webhook.secret, body) };
        return { endpoint: 'webhook', types: [type], body, headers, repeatable: true };
      }
      default:
        return batch(3, i => (i === 2 ? { icon: 7 } : { id: `refused ${n}/${i}` }), key);
    }
  }

  /** null: no answer, or none that says what became of it. */
  async function send(
    url: string,
    request: SentRequest,
    onStatus?: (status: number) => void,
  ): Promise<Answered | null> {
    const target = request.endpoint === 'ingest' ? '/v1/ingest' : `/whk/${webhook.token}`;
    const response = await fetch(url + target, {
      method: 'POST',
      body: request.body,
      headers: request.headers,
      // A client that silently sends again over a fresh connection would spoil the count.
      keepalive: false,
    }).catch(() => null);
    const answer: unknown = await response?.json().catch(() => null);
    onStatus?.(answer ? (response?.status ?? 0) : 0);
    if (!response || !answer || response.status >= 500) return null;
    const events = response.status === 202 ? eventsOf(answer) : [];
    request.outcome =
      response.status === 202 ? { kind: 'accepted', ids: events.map(({ id }) => id) } : { kind: 'refused' };
    return { status: response.status, events };
  }

  /** As a sender does who is told that storage is not available for a moment. */
  async function sendUntilAnswered(url: string, request: SentRequest): Promise<Answered> {
    let answered: Answered | null = null;
    const isAnswered = async () => {
      answered = await send(url, request);
      return answered !== null;
    };
    await until(isAnswered, `No answer to ${request.body}`);
    return answered ?? { status: 0, events: [] };
  }

  return {
    requests,
    run(url, enough) {
      const { promise: reached, resolve, reject } = Promise.withResolvers<void>();
      let accepted = 0;
      let stopping = false;
      const senders = Array.from({ length: SENDERS }, async () => {
        while (!stopping) {
          const request = compose();
          requests.push(request);
          let status = 0;
          const answered = await send(url, request, told => {
            status = told;
          });
          if (status === 0) return;
          if (answered === null) await sleep(REPEAT_AFTER_MS);
          if (answered?.status === 202 && ++accepted === enough) resolve();
        }
      });
      void Promise.all(senders).then(() => reject(new Error('No sender was answered any more.')));
      return {
        reached,
        async stop() {
          stopping = true;
          await Promise.all(senders);
        },
      };
    },
    persist(urls) {
      const answers: { at: number; tookMs: number; status: number }[] = [];
      let stopping = false;
      const senders = Array.from({ length: SENDERS }, async (_, n) => {
        for (let turn = n; !stopping; turn++) {
          const request = compose();
          requests.push(request);
          for (let isFirst = true; request.outcome === undefined; isFirst = false, turn++) {
            if (!isFirst) await sleep(REPEAT_AFTER_MS);
            const began = performance.now();
            await send(urls[turn % urls.length] ?? '', request, status => {
              const at = performance.now();
              answers.push({ at, tookMs: at - began, status });
            });
            if (!request.repeatable) break;
          }
        }
      });
      return {
        answers,
        async stop() {
          stopping = true;
          await Promise.all(senders);
        },
      };
    },
    async retryUnanswered(url) {
      let storedBefore = 0;
      for (const request of requests) {
        if (request.outcome !== undefined || !request.repeatable) continue;
        const first = await sendUntilAnswered(url, request);
        const second = await sendUntilAnswered(url, request);
        expect(second.events.map(({ id }) => id)).toEqual(first.events.map(({ id }) => id));
        if (first.events.every(({ duplicate }) => duplicate) && first.events.length > 0) storedBefore++;
      }
      return storedBefore;
    },
  };
}

function eventsOf(answer: unknown): Answered['events'] {
  const { data } = answer as { data: Answered['events'][number] | { events: Answered['events'] } };
  return 'events' in data ? data.events : [data];
}

/** What the journal promises: what was accepted is there, what was refused is not, once and whole. */
export async function expectPromisesKept(
  engine: StorageEngine,
  orgId: string,
  requests: readonly SentRequest[],
): Promise<void> {
  const stored = await idsByType(engine, orgId);
  const broken: string[] = [];
  for (const { types, outcome, repeatable, body } of requests) {
    const ids = types.map(type => stored.get(type) ?? []);
    const flat = ids.flat();
    const fault =
      outcome === undefined && repeatable
        ? 'never answered, although it was retried'
        : outcome?.kind === 'accepted' && flat.join() !== outcome.ids.join()
          ? `accepted as ${outcome.ids.join()}`
          : outcome?.kind === 'refused' && flat.length > 0
            ? 'refused'
            : ids.some(same => same.length > 1)
              ? 'stored more than once'
              : flat.length > 0 && flat.length < types.length
                ? 'stored in part'
                : null;
    if (fault !== null) broken.push(`${body} was ${fault}; stored: ${JSON.stringify(ids)}`);
  }
  expect(broken).toEqual([]);
}

/** The ids of all events of an organisation, by their type. */
export async function idsByType(engine: StorageEngine, orgId: string): Promise<Map<string, string[]>> {
  const byType = new Map<string, string[]>();
  let below: string | null = null;
  do {
    const page: { events: readonly { id: string; type: string }[]; next: string | null } =
      await engine.journal.listEvents(orgId, {}, { limit: 5_000, below, budgetMs: 60_000 });
    for (const { id, type } of page.events) byType.set(type, [...(byType.get(type) ?? []), id]);
    below = page.next;
  } while (below !== null);
  return byType;
}
