import { expect, test } from 'bun:test';
import { webhookSourceChange } from '@sluice/contract/dashboard-sources';
import { destinationKinds } from '../../src/delivery/destinations/registry.ts';
import { stepKinds } from '../../src/pipeline/steps/registry.ts';
import { destinationOf, mainSteps, moodSteps, waysToShow } from './configuration.ts';
import { routes } from './routes.ts';

/** Whoever adds one of these adds it to the torture, too. */
const namesOf = (all: readonly { readonly name: string }[]) => new Set(all.map(({ name }) => name));
const kindsOf = (all: readonly { readonly kind: string }[]) => new Set(all.map(({ kind }) => kind));

test('every kind of step takes part', () => {
  expect(kindsOf([...mainSteps(1), ...moodSteps('http://model', 'key')])).toEqual(namesOf(stepKinds));
});

test('every kind of destination takes part', () => {
  const reachable = { receivers: { url: () => 'http://receiver', mailPort: 25 }, databaseUrl: 'postgres://' };
  const made = routes.map(route => destinationOf(route, 'alpha', reachable, (_what, secret) => secret));
  expect(kindsOf(made)).toEqual(namesOf(destinationKinds));
});

test('every way to show who sends takes part', () => {
  const modes = webhookSourceChange.shape.auth.unwrap().options;
  expect(new Set<string>(waysToShow('alpha').map(({ auth }) => auth))).toEqual(new Set<string>(modes));
});
