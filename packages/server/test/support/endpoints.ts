import { expect } from 'bun:test';
import { createHmac } from 'node:crypto';
import { failure } from '@sluice/contract';
import { systemSourceId } from '../../src/core/event/system-source.ts';
import type { StorageEngine } from '../../src/core/stores/engine.ts';

/** What came back from an endpoint: the status, the headers, and the body as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export async function post(
  url: string,
  body: BodyInit | null,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return toAnswer(await fetch(url, { method: 'POST', body, headers }));
}

/** Every answer is JSON, and every JSON answer is the envelope. */
export async function toAnswer(response: Response): Promise<Answer> {
  expect(response.headers.get('content-type')).toStartWith('application/json');
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Posts to `/v1/ingest` with this key, as JSON. */
export const ingestWith =
  (url: string, apiKey: string) =>
  (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    post(`${url}/v1/ingest`, isSendable(body) ? body : JSON.stringify(body), {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      ...headers,
    });

const isSendable = (body: unknown): body is BodyInit =>
  typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;

export const sign = (secret: string, body: string | Uint8Array): string =>
  createHmac('sha256', secret).update(body).digest('hex');

export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** Absent: no single field is at fault, and the answer names none. */
  readonly path?: string;
}

/** The refusal, whole: status, code, path, and an envelope that holds nothing else. */
export function expectRefused(answer: Answer, { status, code, path }: Refusal): void {
  const { error } = failure.strict().parse(answer.body);
  expect({ status: answer.status, code: error.code, path: error.path }).toEqual({ status, code, path });
  expect(error.message).toMatch(/^[A-Z_a-z].*\.$/);
  const expected = path === undefined ? ['code', 'message'] : ['code', 'message', 'path'];
  expect(Object.keys(error).sort()).toEqual(expected);
}

export const acceptedIds = (answer: Answer): string[] => {
  expect(answer.status).toBe(202);
  return (answer.body as { data: { events: { id: string }[] } }).data.events.map(event => event.id);
};

export const acceptedId = (answer: Answer): string => {
  expect(answer.status).toBe(202);
  return (answer.body as { data: { id: string } }).data.id;
};

/** The organisation's events, newest first, as far as they fit on a page; without what the service says of itself. */
export async function storedEvents(engine: StorageEngine, orgId: string) {
  const page = await engine.journal.listEvents(orgId, {}, { limit: 10_000, below: null, budgetMs: 10_000 });
  return page.events.filter(({ sources }) => sources[0]?.id !== systemSourceId(orgId));
}

export async function storedPayload(engine: StorageEngine, orgId: string, id: string): Promise<string> {
  const event = await engine.journal.findEvent(orgId, id);
  if (event === null) throw new Error(`${id} is not stored`);
  return event.payload;
}
