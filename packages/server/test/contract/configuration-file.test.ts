import { describe, expect, test } from 'bun:test';
import { deliveryPolicy } from '@sluice/contract/dashboard-deliveries';
import { typeFrom } from '@sluice/contract/dashboard-providers';
import { webhookSourceChange } from '@sluice/contract/dashboard-sources';
import fc from 'fast-check';
import { newId } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { createVault } from '../../src/core/secrets/vault.ts';
import type { StoredDestination } from '../../src/core/stores/configuration/destinations.ts';
import type { StoredPipeline } from '../../src/core/stores/configuration/pipelines.ts';
import {
  type Source,
  sourceSecret,
  type WebhookSource,
} from '../../src/core/stores/configuration/sources.ts';
import type { WholeConfiguration } from '../../src/core/stores/configuration/whole.ts';
import { createDestinationAdmin } from '../../src/delivery/destination-admin.ts';
import { destinationKinds } from '../../src/delivery/destinations/registry.ts';
import { sealConfig } from '../../src/delivery/sealed-config.ts';
import { providerAdmin } from '../../src/ingest/provider-admin.ts';
import { presets } from '../../src/ingest/providers/registry.ts';
import { stepVault } from '../../src/pipeline/definitions/definitions.ts';
import { sealSteps } from '../../src/pipeline/definitions/step-secrets.ts';
import { createPipelineAdmin } from '../../src/pipeline/pipeline-admin.ts';
import { stepKinds } from '../../src/pipeline/steps/registry.ts';
import { compileRoutes } from '../../src/routing/match.ts';
import { toDocument, toForms } from '../../src/web/dashboard/configuration/file.ts';
import { planConfiguration } from '../../src/web/dashboard/configuration/plan.ts';
import { readFile } from '../../src/web/dashboard/configuration/read-file.ts';
import { readYaml, writeYaml } from '../../src/web/dashboard/configuration/yaml-text.ts';
import { destinationDeps } from '../support/delivery.ts';
import { guardedClient } from '../support/guarded-client.ts';

/** A configuration that is written into a file and read again is the same, whatever there is in it. */

const ORG = 'org_01JZX6C1D2E3F4G5H6J7K8M9NR';
const NOW = Date.UTC(2026, 4, 1);
const vault = createVault('a secret key for tests, 32 characters or more');
const destinationAdmin = createDestinationAdmin(destinationDeps(), vault);
const pipelineAdmin = createPipelineAdmin({
  vault,
  client: guardedClient(),
  compileRoutes,
  thread: { run: () => Promise.reject(new Error('Nothing is run.')) },
});
const dependencies = { vault, providerAdmin, destinationAdmin, pipelineAdmin };

const names = fc.oneof(
  fc.constantFrom(
    'Shop',
    'Shop #2',
    'yes',
    'null',
    '1e3',
    '__proto__',
    '!secret',
    'a: b',
    '# x',
    '- x',
    '~',
    '{{ x }}',
  ),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .map(text => text.replaceAll('\0', '').trim())
    .filter(text => text !== '' && text.length <= 100),
);
const times = { createdAt: NOW, updatedAt: NOW };

const webhook = (given: Partial<WebhookSource>, name: string, enabled: boolean): WebhookSource => {
  const id = newId('src', NOW);
  return {
    id,
    orgId: ORG,
    name,
    enabled,
    ...times,
    lastEventAt: null,
    kind: 'webhook',
    tokenHash: id,
    sealedToken: '',
    auth: 'hmac',
    sealedSecret: vault.seal('secret', sourceSecret({ orgId: ORG, id }, 'secret')),
    previousSealedSecret: null,
    previousSecretUntil: null,
    ratePerSecond: 0.5,
    rateBurst: 3,
    provider: null,
    providerOptions: {},
    sealedVerifyToken: null,
    typeFrom: null,
    ...given,
  };
};

const typeFroms = fc.option(
  fc.constantFrom(
    { header: 'x-github-event', prefix: 'github.' },
    typeFrom.parse(JSON.parse('{"path":"payload.event[\\"a.b\\"]","then":"payload.action"}')),
  ),
);
const scheme = {
  header: 'x-sig',
  algorithm: 'sha512',
  encoding: 'base64',
  prefix: 'v1=',
  signed: '{timestamp}.{body}',
  timestamp_header: 'x-time',
  tolerance_s: 60,
} as const;
const webhookParts: fc.Arbitrary<Partial<WebhookSource>> = fc.oneof(
  fc.constantFrom('hmac', 'bearer', 'none').map(auth => ({ auth: auth as WebhookSource['auth'] })),
  fc.constant({ auth: 'custom' as const, providerOptions: { scheme } }),
  fc.constantFrom(...presets).map(({ name }) => ({
    auth: 'provider' as const,
    provider: name,
    sealedVerifyToken: 'sealed',
    providerOptions: { url: 'https://example.com/ü', publicKey: 'a\nb', verifyWith: 'bearer' as const },
  })),
);
const expected = fc.option(fc.integer({ min: 1, max: 1_000 }));
const sources: fc.Arbitrary<Source> = fc.oneof(
  fc
    .tuple(webhookParts, names, fc.boolean(), typeFroms, expected)
    .map(([parts, name, enabled, typeFrom, expectEveryMinutes]) =>
      webhook({ ...parts, typeFrom, expectEveryMinutes }, name, enabled),
    ),
  fc.tuple(names, fc.boolean(), names, expected).map(([name, enabled, match, expectEveryMinutes]) => ({
    id: newId('src', NOW),
    orgId: ORG,
    name,
    enabled,
    ...times,
    lastEventAt: NOW,
    kind: 'sdk' as const,
    match,
    expectEveryMinutes,
  })),
);

const policies = fc.record({
  attempts: fc.integer({ min: 1, max: 50 }),
  schedule_s: fc.array(fc.constantFrom(0, 0.5, 30, 604_800), { minLength: 1, maxLength: 4 }),
  timeout_s: fc.constantFrom(0.1, 15, 300),
  concurrency: fc.integer({ min: 1, max: 1_000 }),
  rate_per_second: fc.constantFrom(0, 0.25, 1_000),
});
const kindExamples = destinationKinds.flatMap(kind =>
  kind.examples.map(({ config }) => ({ kind, config: kind.config.parse(config) as JsonObject })),
);
const destinations: fc.Arbitrary<StoredDestination> = fc
  .tuple(fc.constantFrom(...kindExamples), names, policies, fc.boolean())
  .map(([{ kind, config }, name, policy, paused]) => {
    const id = newId('dst', NOW);
    return {
      id,
      orgId: ORG,
      kind: kind.name,
      name,
      config: sealConfig(vault, kind, config, { orgId: ORG, id }),
      policy,
      paused,
      breaker: null,
      listenerToken: null,
      formerPolicies: [],
      ...times,
    };
  });

/** The one step that has a secret. */
const withKey = {
  kind: 'classify',
  config: {
    label: 'mood',
    labels: ['happy', 'angry'],
    prompt: 'How?\nSay it in a word.',
    model: { provider: 'anthropic', base_url: 'https://example.com', name: 'm', api_key: 'a-key' },
  } as JsonObject,
};
const steps = fc.array(
  fc.constantFrom(
    withKey,
    ...stepKinds.flatMap(kind =>
      kind.examples.map(({ config }) => ({ kind: kind.name, config: config as JsonObject })),
    ),
  ),
  { maxLength: 5 },
);
const pipelinesOver = (from: readonly Source[], to: readonly StoredDestination[]) =>
  fc
    .tuple(names, fc.boolean(), steps, fc.subarray([...from]), fc.subarray([...to]), fc.boolean())
    .map(([name, enabled, given, listened, routed, isConditional]): StoredPipeline => {
      const id = newId('pipe', NOW);
      const definition = {
        name,
        sources: listened.map(one => one.id),
        steps: sealSteps(given, stepVault(vault, ORG, id).seal),
        destinations: routed.map(one => ({
          id: one.id,
          ...(isConditional ? { when: 'payload.total > 1000 &&\n  event.type == "x"' } : {}),
        })),
      };
      return { id, orgId: ORG, name, enabled, version: 3, definition: JSON.stringify(definition), ...times };
    });

const configurations: fc.Arbitrary<WholeConfiguration> = fc
  .tuple(fc.array(sources, { maxLength: 5 }), fc.array(destinations, { maxLength: 5 }))
  .chain(([from, to]) =>
    fc
      .array(pipelinesOver(from, to), { maxLength: 4 })
      .map(pipelines => ({ sources: from, destinations: to, pipelines })),
  );

function write(configuration: WholeConfiguration): string {
  const { value, marks, comment } = toDocument(toForms(configuration, dependencies));
  return writeYaml(value, marks, comment);
}

async function compare(text: string, present: WholeConfiguration, remove = true) {
  const read = readYaml(text);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  const { file, problems } = readFile(read);
  const request = { orgId: ORG, now: NOW, file, remove, secrets: new Map(), isFinal: false };
  const plan = await planConfiguration({ ...request, present: toForms(present, dependencies) }, dependencies);
  return { ...plan, problems: [...problems, ...plan.problems] };
}

test('what was written changes nothing when it is read again, of all kinds and settings', async () => {
  await fc.assert(
    fc.asyncProperty(configurations, async configuration => {
      const plan = await compare(write(configuration), configuration);
      expect(plan.problems).toEqual([]);
      expect(plan.missing).toEqual([]);
      expect(plan.items.filter(({ change }) => change !== 'unchanged')).toEqual([]);
      const { sources, destinations, pipelines } = configuration;
      expect(plan.items).toHaveLength(sources.length + destinations.length + pipelines.length);
      expect(plan.records).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test('the order in which things are read from storage does not change the file', () => {
  fc.assert(
    fc.property(configurations, ({ sources, destinations, pipelines }) => {
      const turned = {
        sources: sources.toReversed(),
        destinations: destinations.toReversed(),
        pipelines: pipelines.toReversed(),
      };
      expect(write(turned)).toBe(write({ sources, destinations, pipelines }));
    }),
    { numRuns: 20 },
  );
});

describe('every setting', () => {
  const text = write({
    sources: [
      webhook(
        {
          auth: 'provider',
          provider: 'github',
          providerOptions: { url: 'https://a.example', publicKey: 'k', verifyWith: 'hmac', scheme },
          typeFrom: { header: 'x' },
          expectEveryMinutes: 30,
        },
        'Shop',
        true,
      ),
    ],
    destinations: [],
    pipelines: [],
  });
  const isSecret = (field: string) => ['name', 'secret', 'verify_token'].includes(field);
  test.each(Object.keys(webhookSourceChange.shape).filter(field => !isSecret(field)))(
    'of a webhook source is in the file: %s',
    field => expect(text).toMatch(new RegExp(`^ {4}${field}:`, 'm')),
  );

  test('of a policy is in the file', () => {
    const written = write({ sources: [], destinations: fc.sample(destinations, 1), pipelines: [] });
    for (const field of Object.keys(deliveryPolicy.shape))
      expect(written).toMatch(new RegExp(`^ {6}${field}:`, 'm'));
  });
});

test('no secret is in the file', () => {
  const secret = 'canary-in-a-file';
  const [slack] = destinationKinds.filter(({ name }) => name === 'slack');
  if (slack === undefined) throw new Error('There is no slack.');
  const id = newId('dst', NOW);
  const [sample] = fc.sample(destinations, 1);
  if (sample === undefined) throw new Error('There is no sample.');
  const config = sealConfig(vault, slack, { url: `https://example.com/${secret}` }, { orgId: ORG, id });
  const text = write({
    sources: [],
    destinations: [{ ...sample, id, kind: 'slack', name: 'S', config }],
    pipelines: [],
  });
  expect(text).toContain('url: !secret');
  expect(text).not.toContain(secret);
});
