import type { PipelineStep, StepTrace } from '@sluice/contract';
import { invalid, Problem } from '../core/errors.ts';
import type { OutgoingHttp } from '../core/http/outgoing.ts';
import { type JsonObject, parseJson, stringifyJson } from '../core/json/json.ts';
import type { DefinitionInput, PipelineAdmin, ShownTrace } from '../core/kinds/pipeline-admin.ts';
import type { Vault } from '../core/secrets/vault.ts';
import { createOwnerQueues } from '../core/work/owner-queues.ts';
import { compilePipeline } from './definitions/compile.ts';
import { readDefinition, ready, stepVault } from './definitions/definitions.ts';
import {
  keepStepSecrets,
  maskSteps,
  missingStepSecrets,
  openSteps,
  refuseWrittenSecrets,
  sealSteps,
  stepMarks,
} from './definitions/step-secrets.ts';
import { describeStep } from './step.ts';
import { stepKinds } from './steps/registry.ts';
import type { PipelineThread } from './thread/pipeline-thread.ts';
import type { CompileRoutes } from './thread/run-batch.ts';
import { LARGEST_TRACE, readTrace } from './thread/trace.ts';

/** Of one organisation, waiting or under way. */
const MOST_DRY_RUNS = 4;

/** Checks definitions as they are sent, and shows stored ones; drafts are run on a thread of their own. */
export function createPipelineAdmin(dependencies: {
  readonly vault: Pick<Vault, 'seal' | 'open'>;
  readonly client: Pick<OutgoingHttp, 'requireUsableUrl'>;
  readonly compileRoutes: CompileRoutes;
  /** A thread of its own, so that no draft holds up events. */
  readonly thread: Pick<PipelineThread, 'run'>;
}): PipelineAdmin {
  const { vault, client, compileRoutes, thread } = dependencies;
  const drafts = createOwnerQueues({
    mostOfOne: MOST_DRY_RUNS,
    refusal: () =>
      new Problem('rate_limited', {
        message: 'Too many dry runs of this organisation are waiting. Try again when they are done.',
        retryAfter: 2,
      }),
  });

  const openStored = (orgId: string, stored: DefinitionInput['stored']): PipelineStep[] =>
    stored === null
      ? []
      : openSteps(readDefinition(stored.definition).steps, stepVault(vault, orgId, stored.id).open);

  /** The steps with their secrets open, those that are to be kept put back. */
  async function check(input: DefinitionInput): Promise<PipelineStep[]> {
    const { orgId, given, stored } = input;
    requireKnown('sources', 'source', given.sources, input.sourceIds, i => `sources[${i}]`);
    requireKnown(
      'destinations',
      'destination',
      given.destinations.map(destination => destination.id),
      input.destinationIds,
      i => `destinations[${i}].id`,
    );
    const steps = keepStepSecrets(given.steps, openStored(orgId, stored));
    const compiled = compilePipeline(steps);
    const routes = compileRoutes(given.destinations);
    compiled.check();
    routes.check();
    for (const { url, path } of compiled.urls) await client.requireUsableUrl(url, path);
    return steps;
  }

  return {
    kinds: () => stepKinds.map(describeStep),
    async accept(input) {
      const steps = sealSteps(await check(input), stepVault(vault, input.orgId, input.id).seal);
      const { name, sources, destinations } = input.given;
      return stringifyJson({ name, sources, steps, destinations });
    },
    show(text) {
      const definition = readDefinition(text);
      return { ...definition, steps: maskSteps(definition.steps) };
    },
    readPortable: ({ orgId, steps, stored }) => {
      refuseWrittenSecrets(steps);
      return {
        marks: stepMarks(steps),
        missing: missingStepSecrets(steps, openStored(orgId, stored)).map(path => ({
          path,
          canBeMade: false,
        })),
      };
    },
    showTrace,
    async dryRun(input) {
      const { orgId, id, given, event, payload, sourceName, mayAskModel, labels } = input;
      const { name, sources, destinations } = given;
      const steps = await check(input).catch(error => {
        throw within('pipeline', error);
      });
      const pipeline = { id, version: 0, name, sources, destinations, ...ready(steps) };
      const dryRun = { mayAskModel, labels };
      const request = { orgId, pipeline, event, payload, sourceName, retries: 0, dryRun };
      const report = await drafts.run(orgId, () => thread.run(request));
      const before = parseJson(payload) as JsonObject;
      if (report.kind === 'unavailable') {
        const reason = 'Storage cannot be read now; try again.';
        return { ...untouched(before), outcome: 'retry', step: null, reason };
      }
      if (report.kind === 'retry') {
        const { step, reason, said, trace } = report;
        return { ...untouched(before), ...showTrace(trace, before), outcome: 'retry', step, reason, said };
      }
      const { outcome, step, reason, destinations: going, notes, said = null } = report;
      const shown = showTrace(report.trace, before);
      const after = report.output === '' ? untouched(before) : readOutput(report.output);
      const ended = { outcome, step, reason, said, destinations: going, notes };
      return { ...untouched(before), ...shown, ...after, ...ended };
    },
  };
}

/** The same refusal, its path seen from the body that the draft is a part of. */
function within(field: string, error: unknown): unknown {
  if (!(error instanceof Problem) || error.path === undefined) return error;
  const message = error.message.startsWith(error.path) ? `${field}.${error.message}` : error.message;
  return new Problem(error.code, { message, path: `${field}.${error.path}` });
}

const untouched = (payload: JsonObject) => ({
  payload,
  labels: {},
  said: null,
  steps: [],
  cutAt: null,
  tries: [],
  destinations: [],
  notes: [],
});

const readOutput = (text: string) => parseJson(text) as { payload: JsonObject; labels: JsonObject };

function requireKnown(
  list: string,
  what: string,
  given: readonly string[],
  known: readonly string[],
  pathOf: (index: number) => string,
): void {
  for (const [i, id] of given.entries()) {
    if (!known.includes(id)) throw invalid(pathOf(i), `${pathOf(i)}: there is no ${what} ${id}.`);
    if (given.indexOf(id) !== i) throw invalid(pathOf(i), `${list} may name each ${what} once.`);
  }
}

/** An event too large for a trace stands beside its runs anyway, and not once more for each of their steps. */
function showTrace(trace: string, payload: JsonObject): ShownTrace {
  const shown = readTrace(trace, payload);
  if (shown.steps.length === 0 || stringifyJson(payload).length <= LARGEST_TRACE) return shown;
  const withoutEvent = (state: StepTrace['before']) => (state?.payload === payload ? null : state);
  return {
    ...shown,
    steps: shown.steps.map(step => ({
      ...step,
      before: withoutEvent(step.before),
      after: withoutEvent(step.after),
    })),
    cutAt: 0,
  };
}
