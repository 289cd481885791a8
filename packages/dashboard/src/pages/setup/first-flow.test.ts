import { expect, test } from 'bun:test';
import type { PipelineRecord } from '@sluice/contract/dashboard-pipelines';
import type { SdkSourceRecord, WebhookSourceRecord } from '@sluice/contract/dashboard-sources';
import { FIRST_SOURCE, FROM_CODE, findFirstFlow, type Parts } from './first-flow.ts';

const source = { id: 'src_1', kind: 'webhook', name: FIRST_SOURCE, enabled: true } as WebhookSourceRecord;
const fromCode = { id: 'src_2', kind: 'sdk', name: FROM_CODE, enabled: true } as SdkSourceRecord;
const inbox = { id: 'dst_1', kind: 'inbox', name: 'Inbox', paused: false };
const pipeline = {
  id: 'pipe_1',
  enabled: true,
  sources: [source.id],
  destinations: [{ id: inbox.id }],
} as PipelineRecord;
const whole: Parts = { sources: [source, fromCode], destinations: [inbox], pipelines: [pipeline] };

test('a way through is found, also where a newer inbox stands beside the one that it leads to', () => {
  expect(findFirstFlow(whole)).toEqual({ source, fromCode, inbox, pipeline });
  const newer = { ...inbox, id: 'dst_2' };
  expect(findFirstFlow({ ...whole, destinations: [newer, inbox] })).toMatchObject({ inbox, pipeline });
});

test('what would let nothing arrive is no part of it', () => {
  const none = findFirstFlow({ ...whole, pipelines: [{ ...pipeline, enabled: false }] });
  expect(none).toMatchObject({ source, inbox, pipeline: undefined });
  expect(findFirstFlow({ ...whole, destinations: [{ ...inbox, paused: true }] })).toMatchObject({
    inbox: undefined,
    pipeline: undefined,
  });
  const off = findFirstFlow({
    ...whole,
    sources: [
      { ...source, enabled: false },
      { ...fromCode, enabled: false },
    ],
  });
  expect(off).toMatchObject({ source: undefined, fromCode: undefined, pipeline: undefined });
});
