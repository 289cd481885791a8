import type { RunRecord } from '@sluice/contract/dashboard-pipelines';
import { type Browser, dataOf } from './dashboard.ts';
import { type Answer, acceptedId, post } from './endpoints.ts';
import { until } from './until.ts';

/** Somebody at the dashboard who makes pipelines, and senders who feed them. */

export interface MadeSource {
  readonly id: string;
  readonly token: string;
  /** Posts this body to it; answers the event's id. */
  send(body: unknown): Promise<string>;
}

export async function makeWebhook(url: string, browser: Browser, name = 'Hook'): Promise<MadeSource> {
  const { id, token } = dataOf<{ id: string; token: string }>(
    await browser.post('/sources', { kind: 'webhook', name, auth: 'none', rate: { per_second: 0 } }),
  );
  const send = async (body: unknown) =>
    acceptedId(await post(`${url}/whk/${token}`, typeof body === 'string' ? body : JSON.stringify(body)));
  return { id, token, send };
}

export interface PipelineInput {
  readonly name?: string;
  readonly sources?: readonly string[];
  readonly steps?: readonly { readonly kind: string; readonly config?: unknown }[];
  readonly destinations?: readonly { readonly id: string; readonly when?: string }[];
  readonly enabled?: boolean;
}

export const tryPipeline = (browser: Browser, input: PipelineInput): Promise<Answer> =>
  browser.post('/pipelines', { name: 'Pipeline', ...input });

export async function makePipeline(
  browser: Browser,
  input: PipelineInput,
): Promise<{ id: string; version: number }> {
  return dataOf<{ id: string; version: number }>(await tryPipeline(browser, input));
}

/** A destination that keeps what it gets and sends nothing anywhere. */
export async function makeInbox(browser: Browser, name = 'Inbox'): Promise<string> {
  return dataOf<{ id: string }>(await browser.post('/destinations', { kind: 'inbox', name, config: {} })).id;
}

/** Where nobody listens, so that nothing arrives. */
export async function makeRefusing(
  browser: Browser,
  name = 'Broken',
  policy: object = { attempts: 1 },
): Promise<string> {
  const config = { url: 'http://127.0.0.1:1/', auth: { mode: 'none' } };
  const given = { kind: 'webhook', name, config, policy };
  return dataOf<{ id: string }>(await browser.post('/destinations', given)).id;
}

export interface EventRecord {
  readonly id: string;
  readonly state: string;
  readonly payload: unknown;
  readonly sources: readonly { readonly id: string; readonly name: string }[];
  readonly runs: readonly RunRecord[];
  readonly deliveries: readonly { readonly state: string; readonly destination: { readonly id: string } }[];
}

export const readEvent = async (browser: Browser, id: string): Promise<EventRecord> =>
  dataOf<EventRecord>(await browser.get(`/events/${id}`));

/** The event once its pipelines are through with it. */
export async function settled(browser: Browser, id: string): Promise<EventRecord> {
  let event = await readEvent(browser, id);
  const isThrough = async () => {
    if (event.state === 'accepted') event = await readEvent(browser, id);
    return event.state !== 'accepted';
  };
  await until(isThrough, `${id} is still accepted.`);
  return event;
}
