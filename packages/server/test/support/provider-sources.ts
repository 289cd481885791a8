import { expect } from 'bun:test';
import type { NewSourceRecord, RejectionRecord } from '@sluice/contract/dashboard-sources';
import type { Sample } from '../contract/provider/samples.ts';
import { type Browser, dataOf, listOf } from './dashboard.ts';
import { storedEvents } from './endpoints.ts';
import type { TestService } from './service.ts';
import { until } from './until.ts';

/** Sources of providers at a real server, what they are sent, and what became of that. */

type MadeSource = NewSourceRecord & { url: string };

export interface ProviderSources {
  readonly orgId: string;
  create(input: Record<string, unknown>): Promise<MadeSource>;
  eventsOf(source: { id: string }): ReturnType<typeof storedEvents>;
  /** Why requests were rejected, once there are so many. */
  reasonsOf(source: { id: string }, count: number): Promise<string[]>;
}

export async function providerSources(service: TestService, owner: Browser): Promise<ProviderSources> {
  const orgId = dataOf<{ organisation: { id: string } }>(await owner.get('/session')).organisation.id;
  return {
    orgId,

    async create(input) {
      const answer = await owner.post('/sources', { kind: 'webhook', name: 'hook', ...input });
      expect(answer.status).toBe(201);
      return dataOf<MadeSource>(answer);
    },

    async eventsOf(source) {
      const events = await storedEvents(service.engine, orgId);
      return events.filter(({ sources }) => sources.some(({ id }) => id === source.id));
    },

    async reasonsOf(source, count) {
      const path = `/sources/${source.id}/rejections`;
      const list = async () => listOf<RejectionRecord>(await owner.get(path)).data;
      await until(async () => (await list()).length >= count, 'the rejections are not on record');
      return (await list()).map(({ message }) => message);
    },
  };
}

export const send = (url: string, body: string, headers: Record<string, string>, method = 'POST') =>
  fetch(url, { method, body: method === 'POST' ? body : null, headers });

/** A provider's own request, signed for this source. */
export function requestOf(sample: Sample, url: string, now = Date.now()) {
  const draft = { url, body: sample.body, at: Math.floor(now / 1_000) };
  const { headers, body, url: signedUrl = url } = sample.sign(draft, sample.keys);
  const all: Record<string, string> = {
    'content-type': sample.contentType ?? 'application/json',
    ...sample.headers,
    ...headers,
  };
  return { headers: all, body: body ?? sample.body, url: signedUrl };
}
