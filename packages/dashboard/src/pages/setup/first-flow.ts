import type { PipelineRecord } from '@sluice/contract/dashboard-pipelines';
import type { SdkSourceRecord, SourceRecord, WebhookSourceRecord } from '@sluice/contract/dashboard-sources';
import { call } from '../../lib/api/call.ts';

/**
 * What a newcomer begins with: a webhook source, the built-in inbox and a pipeline between them. Each part is
 * looked for before it is made, so that pressing again, or coming back after half of it, makes the rest only.
 */
export const FIRST_SOURCE = 'First source';
export const FROM_CODE = 'Sent with a key';
const INBOX = 'Inbox';
const FIRST_PIPELINE = 'First pipeline';

interface DestinationBrief {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly paused: boolean;
}

export interface Parts {
  readonly sources: readonly SourceRecord[];
  readonly destinations: readonly DestinationBrief[];
  readonly pipelines: readonly PipelineRecord[];
}

export interface FirstFlow {
  readonly source: WebhookSourceRecord | undefined;
  /** What comes with an API key; made when somebody asks for that way in. */
  readonly fromCode: SdkSourceRecord | undefined;
  readonly inbox: DestinationBrief | undefined;
  readonly pipeline: PipelineRecord | undefined;
}

/** Of each only what lets something through: behind anything else the page would wait for ever. */
export function findFirstFlow({ sources, destinations, pipelines }: Parts): FirstFlow {
  const source = sources.find(
    (one): one is WebhookSourceRecord => one.kind === 'webhook' && one.name === FIRST_SOURCE && one.enabled,
  );
  const fromCode = sources.find(
    (one): one is SdkSourceRecord => one.kind === 'sdk' && one.name === FROM_CODE && one.enabled,
  );
  const inboxes = destinations.filter(({ kind, paused }) => kind === 'inbox' && !paused);
  const inboxOf = (one: PipelineRecord) =>
    inboxes.find(inbox => one.destinations.some(({ id }) => id === inbox.id));
  const pipeline = pipelines.find(
    one =>
      one.enabled && source !== undefined && one.sources.includes(source.id) && inboxOf(one) !== undefined,
  );
  return { source, fromCode, inbox: pipeline ? inboxOf(pipeline) : inboxes[0], pipeline };
}

/** The secret of a source is answered once, when it is made: kept at once, whatever becomes of the other parts. */
export async function makeFirstFlow(found: FirstFlow, onSecret: (secret: string) => void): Promise<void> {
  const source = found.source ?? (await makeSource(onSecret));
  const inbox = found.inbox ?? (await call('POST /destinations', { body: { kind: 'inbox', name: INBOX } }));
  if (!found.pipeline) {
    await call('POST /pipelines', {
      body: { name: FIRST_PIPELINE, sources: [source.id], destinations: [{ id: inbox.id }] },
    });
  }
}

async function makeSource(onSecret: (secret: string) => void): Promise<SourceRecord> {
  const { secret, ...source } = await call('POST /sources', {
    body: { kind: 'webhook', name: FIRST_SOURCE, auth: 'hmac' },
  });
  if (secret !== undefined) onSecret(secret);
  return source;
}

/** Lets what is sent with a key travel the same pipeline, and makes a key to send with. Answers its secret. */
export async function openForCode({ fromCode, pipeline }: FirstFlow): Promise<string> {
  const source =
    fromCode ?? (await call('POST /sources', { body: { kind: 'sdk', name: FROM_CODE, match: '*' } }));
  if (pipeline && !pipeline.sources.includes(source.id)) {
    await call('PATCH /pipelines/:id', {
      id: pipeline.id,
      body: { sources: [...pipeline.sources, source.id] },
    });
  }
  return (await call('POST /keys', { body: { name: 'First key' } })).secret;
}
