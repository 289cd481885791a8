import { describe, expect, test } from 'bun:test';
import type { PipelineStep } from '@sluice/contract';
import { z } from 'zod';
import { getPath, parsePath, setPath } from '../../../src/core/expressions/path.ts';
import type { JsonObject } from '../../../src/core/json/json.ts';
import { readConfig } from '../../../src/core/kinds/kind.ts';
import { compilePipeline } from '../../../src/pipeline/definitions/compile.ts';
import {
  keepStepSecrets,
  maskSteps,
  openSteps,
  sealSteps,
} from '../../../src/pipeline/definitions/step-secrets.ts';
import type { ModelClient } from '../../../src/pipeline/ports/model.ts';
import { pickPorts, portNames, type StepPorts } from '../../../src/pipeline/ports/registry.ts';
import { defineStep, describeStep, type RunState, type StepKind } from '../../../src/pipeline/step.ts';
import { findStepKind, stepKinds } from '../../../src/pipeline/steps/registry.ts';
import { sampleEvent, scopeWith } from '../../support/scope.ts';
import { quietPorts, runPipeline } from '../../support/step.ts';

/** What holds for every kind of step, whatever it does to an event: whoever adds one finds here what is missing. */

test('each is found by its name, which no other has', () => {
  for (const kind of stepKinds) expect(findStepKind(kind.name)).toBe(kind);
  expect(findStepKind('nothing')).toBeUndefined();
});

/** A server that answers, but with nothing that anybody could use. */
const uselessModel: ModelClient = {
  request: async () => ({
    kind: 'answered',
    status: 500,
    headers: new Headers(),
    body: 'no',
    isCut: false,
  }),
};

const payloads: readonly JsonObject[] = [
  {},
  { id: 1, total: 120, host: 'a', alert: null, customer: { name: 'Ada', birthday: '1815-12-10' } },
  { id: { deep: [1, 'ada@example.com', 12345678901234567890n] }, customer: 'Ada' },
];

const stepOf = (kind: StepKind, config: unknown): PipelineStep => ({
  kind: kind.name,
  config: config as Record<string, unknown>,
});

for (const kind of stepKinds) {
  describe(kind.name, () => {
    test('says what it does, with a form that is JSON', () => {
      const described = describeStep(kind);
      expect(kind.name).toMatch(/^[a-z]+(\.[a-z]+)?$/);
      expect(kind.title).not.toBe('');
      expect(kind.docs.length).toBeGreaterThan(50);
      expect(['mutating', 'control', 'enrichment']).toContain(kind.class);
      expect(described.schema.type).toBe('object');
      expect(JSON.parse(JSON.stringify(described))).toEqual(described as object);
    });

    test('shows examples that compile, and whose runs end in one of the outcomes there are', async () => {
      expect(kind.examples.length).toBeGreaterThan(0);
      for (const { title, config } of kind.examples) {
        expect(title).not.toBe('');
        const pipeline = compilePipeline([stepOf(kind, config)]);
        for (const payload of payloads)
          for (const model of [null, uselessModel])
            for (const traits of [null, { plan: 'pro' }]) {
              const result = await runPipeline(pipeline, payload, { ports: { model }, traits });
              expect(result.kind === 'settled' ? result.outcome.kind : result.kind).toBeOneOf([
                'routed',
                'dropped',
                'failed',
                'retry',
              ]);
              expect(JSON.stringify(result.trace.steps)).not.toContain(' broke: ');
            }
      }
    });

    test('refuses a field that it does not know, and says where', () => {
      const [example] = kind.examples;
      const config = { ...(example?.config as object), unknown_field: 1 };
      expect(() => compilePipeline([stepOf(kind, config)])).toThrow(
        expect.objectContaining({ code: 'validation_failed', path: 'steps[0].config.unknown_field' }),
      );
    });

    test('has its secrets marked in the form, sealed at rest, masked when shown, and kept when sent back', () => {
      const marked = JSON.stringify(describeStep(kind).schema).match(/"writeOnly":true/g) ?? [];
      expect(marked.length).toBeGreaterThanOrEqual(kind.secrets.length);
      const config = kind.secrets.reduce<JsonObject>((given, secret) => {
        const set = setPath(given, parsePath(secret), 'hush-hush');
        if (set.kind !== 'set') throw new Error(set.reason);
        return set.root;
      }, kind.examples[0]?.config as JsonObject);
      const open = [stepOf(kind, config)];
      const sealed = sealSteps(open, secret => [...secret].reverse().join('!'));
      const masked = maskSteps(sealed);
      expect(JSON.stringify([sealed, masked])).not.toContain('hush-hush');
      for (const secret of kind.secrets)
        expect(getPath(masked[0]?.config as JsonObject, parsePath(secret))).toEqual({ set: true });
      expect(openSteps(sealed, text => [...text.replaceAll('!', '')].reverse().join(''))).toEqual(open);
      expect(keepStepSecrets(masked, open)).toEqual(open);
    });

    test('asks for no port but those that it says it needs', async () => {
      for (const name of kind.needs) expect(portNames).toContain(name);
      const asked = new Set<string | symbol>();
      const ports = new Proxy(quietPorts({ model: uselessModel }), {
        get(all, name) {
          asked.add(name);
          return all[name as keyof StepPorts];
        },
      });
      for (const { config } of kind.examples)
        for (const payload of payloads)
          await kind.compile(readConfig(kind, config, 'config'), 'config').bind(ports)(stateOf(payload));
      expect([...asked].filter(name => !(kind.needs as readonly (string | symbol)[]).includes(name))).toEqual(
        [],
      );
    });
  });
}

const stateOf = (payload: JsonObject): RunState => ({
  orgId: 'org_1',
  pipelineId: 'pipe_1',
  event: sampleEvent(),
  scope: scopeWith(payload),
  tries: 0,
});

describe('a port that a step does not declare', () => {
  test('is not handed to it, and to ask for it does not compile', () => {
    const all = quietPorts();
    expect(Object.keys(pickPorts(all, ['clock']))).toEqual(['clock']);
    const kind = defineStep({
      name: 'sample',
      title: 'Sample',
      class: 'control',
      needs: ['clock'],
      docs: 'Asks for more than it says.',
      config: z.strictObject({}),
      examples: [],
      compile: () => ({
        readsTraits: false,
        bind(ports) {
          ports.clock.now();
          // @ts-expect-error It is not among its needs.
          return ports.dedupe;
        },
      }),
    });
    expect(kind.compile({}, 'config').bind(pickPorts(all, kind.needs))).toBeUndefined();
    defineStep({
      ...kind,
      needs: [],
      compile: () => ({
        readsTraits: false,
        // @ts-expect-error One that needs nothing gets nothing.
        bind: ({ clock }) => clock,
      }),
    });
  });

  test('is kept from the step of a pipeline too', () => {
    const asked: PropertyKey[] = [];
    const ports = new Proxy(quietPorts(), {
      get(all, name) {
        asked.push(name);
        return all[name as keyof StepPorts];
      },
    });
    for (const kind of stepKinds) {
      const [example] = kind.examples;
      for (const { bind } of compilePipeline([stepOf(kind, example?.config)]).steps) bind(ports);
      expect(asked.splice(0).toSorted()).toEqual([...kind.needs].toSorted());
    }
  });
});
