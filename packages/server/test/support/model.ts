import type { OutgoingRequest, OutgoingResult } from '../../src/core/http/outgoing.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import type { CachedLabel, LabelStore } from '../../src/pipeline/ports/label-cache.ts';
import type { ModelClient } from '../../src/pipeline/ports/model.ts';

/** A request as a model's server saw it. */
export interface Asked {
  readonly path: string;
  readonly headers: Headers;
  readonly body: JsonObject;
}

export interface TestModel {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** What the next requests are answered with, the last one from then on. */
  answer(...answers: (() => Response | Promise<Response>)[]): void;
  stop(): Promise<void>;
}

/** A step that asks this model for the mood of an event. */
export const moodStep = (model: TestModel, more: JsonObject = {}) => ({
  kind: 'classify',
  config: {
    label: 'mood',
    labels: ['good', 'bad'],
    prompt: '?',
    model: { provider: 'openai-compatible', base_url: model.url, name: 'm' },
    ...more,
  },
});

/** A server that a test lets speak one of the wire formats. */
export function startModel(): TestModel {
  const asked: Asked[] = [];
  let answers: (() => Response | Promise<Response>)[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      asked.push({
        path: new URL(request.url).pathname,
        headers: request.headers,
        body: (await request.json()) as JsonObject,
      });
      const [next] = answers;
      if (answers.length > 1) answers = answers.slice(1);
      return next?.() ?? new Response('nobody said what to answer', { status: 500 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    answer(...next) {
      answers = next;
    },
    stop: () => server.stop(true),
  };
}

/** As OpenAI answers a chat completion. */
export const openaiAnswer = (message: JsonObject, finish_reason = 'stop') =>
  Response.json({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_769_860_800,
    model: 'test-model',
    choices: [
      { index: 0, message: { role: 'assistant', refusal: null, ...message }, logprobs: null, finish_reason },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });

/** As Anthropic answers a message. */
export const anthropicAnswer = (content: JsonObject[], stop_reason = 'tool_use') =>
  Response.json({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'test-model',
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  });

/** Asks without the guard, whose own tests are elsewhere, but with its deadline and its words. */
export const plainModelClient: ModelClient = {
  async request(request: OutgoingRequest): Promise<OutgoingResult> {
    try {
      const response = await fetch(request.url, {
        method: request.method ?? 'POST',
        headers: request.headers,
        body: request.body ?? '',
        signal: AbortSignal.timeout(request.timeoutMs),
      });
      const body = await response.text();
      const kept = body.slice(0, request.keptBytes);
      return {
        kind: 'answered',
        status: response.status,
        headers: response.headers,
        body: kept,
        isCut: kept !== body,
      };
    } catch (error) {
      const isTimeout = error instanceof Error && error.name === 'TimeoutError';
      const code = isTimeout ? 'timeout' : 'connection_refused';
      return {
        kind: 'failed',
        failure: { code, message: isTimeout ? 'It took too long.' : 'Nobody answers there.' },
      };
    }
  },
};

export interface MemoryCache extends LabelStore {
  readonly labels: Map<string, string>;
  readonly claims: Set<string>;
}

export function memoryCache(): MemoryCache {
  const labels = new Map<string, string>();
  const claims = new Set<string>();
  const nameOf = (orgId: string, key: string) => `${orgId} ${key}`;
  return {
    labels,
    claims,
    async claimLabel(orgId, key): Promise<CachedLabel> {
      const label = labels.get(nameOf(orgId, key));
      if (label !== undefined) return { kind: 'hit', label };
      if (claims.has(nameOf(orgId, key))) return { kind: 'busy' };
      claims.add(nameOf(orgId, key));
      return { kind: 'claimed' };
    },
    async keepLabel(orgId, key, label) {
      labels.set(nameOf(orgId, key), label);
      claims.delete(nameOf(orgId, key));
    },
    async releaseLabel(orgId, key) {
      claims.delete(nameOf(orgId, key));
    },
  };
}
