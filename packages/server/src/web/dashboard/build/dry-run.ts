import type { EventLimits, PipelineDefinition } from '@sluice/contract';
import { dryRunBody } from '@sluice/contract/dashboard-pipelines';
import type { Clock } from '../../../core/clock.ts';
import { invalid } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import { stringifyJson } from '../../../core/json/json.ts';
import type { DryRunEvent, PipelineAdmin } from '../../../core/kinds/pipeline-admin.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Journal } from '../../../core/stores/journal.ts';
import type { Calls } from '../calls.ts';
import { asPipelineEvent, type WrittenEvent } from './tried-event.ts';

/** Runs an event through a draft. Nothing is sent, stored or announced. */
export function dryRunCalls(
  calls: Calls,
  {
    configuration,
    journal,
    pipelineAdmin,
    clock,
    limits,
  }: {
    readonly configuration: Pick<ConfigurationStore, 'findPipeline' | 'listDestinations' | 'listSources'>;
    readonly journal: Pick<Journal, 'findEvent'>;
    readonly pipelineAdmin: Pick<PipelineAdmin, 'dryRun'>;
    readonly clock: Clock;
    /** Those of the ingest endpoints: what could not be ingested is not tried either. */
    readonly limits: EventLimits;
  },
): void {
  const bodyShape = dryRunBody(limits);

  calls.on('POST /pipelines/dry-run', 'pipelines.change', async call => {
    const body = await call.body(bodyShape);
    const { orgId } = call.session;
    const { id: draftOf, enabled: _, ...given } = body.pipeline;
    const stored = draftOf === undefined ? null : await configuration.findPipeline(orgId, draftOf);
    if (draftOf !== undefined && stored === null)
      throw invalid('pipeline.id', `pipeline.id: there is no pipeline ${draftOf}.`);
    const [sources, destinations] = await Promise.all([
      configuration.listSources(orgId),
      configuration.listDestinations(orgId),
    ]);
    const names = new Map(sources.map(({ id, name }) => [id, name]));
    const tried =
      body.event === undefined
        ? await storedEvent(orgId, body.event_id ?? '', given)
        : givenEvent(body.event, firstName(given.sources.map(id => names.get(id) ?? id)));
    const report = await pipelineAdmin.dryRun({
      orgId,
      id: draftOf ?? newId('pipe', clock.now()),
      given,
      stored,
      sourceIds: sources.map(({ id }) => id),
      destinationIds: destinations.map(({ id }) => id),
      mayAskModel: body.classify,
      labels: body.labels,
      ...tried,
    });
    const { cutAt, notes, said, tries: _tries, ...rest } = report;
    return call.answer({ ...rest, answer: said, cut_at: cutAt, routing: notes });
  });

  async function storedEvent(
    orgId: string,
    id: string,
    { sources }: Pick<PipelineDefinition, 'sources'>,
  ): Promise<DryRunEvent> {
    const event = await journal.findEvent(orgId, id);
    if (event === null) throw invalid('event_id', `event_id: there is no event ${id}.`);
    const listened = event.sources.filter(source => sources.includes(source.id));
    return {
      event,
      payload: event.payload,
      sourceName: firstName((listened.length > 0 ? listened : event.sources).map(({ name }) => name)),
    };
  }

  const givenEvent = (event: WrittenEvent, sourceName: string | null): DryRunEvent => ({
    event: asPipelineEvent(event, clock.now()),
    payload: stringifyJson(event.payload ?? {}),
    sourceName,
  });
}

const firstName = (names: readonly string[]): string | null => names.toSorted()[0] ?? null;
