import { compileCondition } from '../../src/core/expressions/condition.ts';
import { sweepConditions } from '../support/condition-sweep.ts';
import { scopeWith } from '../support/scope.ts';
import { atLeast, atMost, type Figure, type Section } from './figure.ts';
import { median } from './wrk.ts';

/** What a condition costs, and whether any of very many finds a hole in the checker. */
export const conditionsSection: Section = {
  name: 'conditions',
  about: 'Conditions, checked and evaluated in one thread',
  minutes: 0.5,
  run: async () => [evaluationRate(), ...sweep()],
};

const TURNS = 7;
const EVALUATIONS = 200_000;
const condition =
  'payload.total > 100 && payload.customer.country in ["DE", "FR", "AT"] && payload.customer.id.startsWith("c-")';

function evaluationRate(): Figure {
  const { evaluate } = compileCondition(condition);
  const scope = scopeWith({ total: 250.5, customer: { country: 'DE', id: 'c-77' } });
  const rates = Array.from({ length: TURNS }, () => {
    const began = performance.now();
    for (let i = 0; i < EVALUATIONS; i++) evaluate(scope);
    return (EVALUATIONS / (performance.now() - began)) * 1_000;
  });
  return atLeast('a condition with three comparisons, evaluations/s', median(rates), 500_000);
}

const GENERATED = 50_000;

function sweep(): Figure[] {
  const { accepted, refused, wrong } = sweepConditions(GENERATED, 7);
  for (const line of wrong.slice(0, 20)) console.error(line);
  const note = ` (${accepted} have a type, ${refused} are refused with their place)`;
  return [
    atMost(
      `of ${GENERATED} generated conditions, exceptions and mismatches past the checker`,
      wrong.length,
      0,
      note,
    ),
  ];
}
