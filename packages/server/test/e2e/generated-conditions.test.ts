import { afterAll, beforeAll, expect, test } from 'bun:test';
import { conditionGenerator } from '../support/condition-generator.ts';
import { type Browser, setUp } from '../support/dashboard.ts';
import type { Answer } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Browser;
beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
});
afterAll(() => service.stop());

/** What once answered 500, and what a generator makes. */
const conditions = (count: number): string[] => {
  const generator = conditionGenerator(23);
  return [
    '[].exists(e, e == 2)',
    '[].map(e, e + 1) == []',
    ...Array.from({ length: count }, (_, i) => (i % 4 === 0 ? generator.known() : generator.any())),
  ];
};

const stepsWith = (condition: string) => [{ kind: 'filter.match', config: { condition } }];

/** A refusal names the field, and the character for as much as the condition is at fault. */
const isAnswered = ({ status, body }: Answer): boolean =>
  status < 300 || (status === 400 && JSON.stringify(body).includes('condition'));

async function unanswered(texts: readonly string[], send: (text: string, n: number) => Promise<Answer>) {
  const wrong: string[] = [];
  for (const [n, text] of texts.entries()) {
    const answer = await send(text, n);
    if (!isAnswered(answer)) wrong.push(`${answer.status}: ${text}`);
  }
  return wrong;
}

test('no condition makes the check answer anything but whether it is valid', async () => {
  const send = async (condition: string) => owner.post('/conditions/check', { condition });
  expect(await unanswered(conditions(200), send)).toEqual([]);
});

test('no condition makes a dry run answer anything but what it does or why not', async () => {
  const send = async (condition: string) =>
    owner.post('/pipelines/dry-run', {
      pipeline: { name: 'Draft', sources: [], steps: stepsWith(condition), destinations: [] },
      event: { type: 'order.created', payload: { n: 5, t: 'text', list: [1, 'x'], map: { a: 1 } } },
    });
  expect(await unanswered(conditions(150), send)).toEqual([]);
});

test('no condition makes saving answer anything but the pipeline or why not', async () => {
  const send = async (condition: string, n: number) =>
    owner.post('/pipelines', { name: `P ${n}`, sources: [], steps: stepsWith(condition), destinations: [] });
  expect(await unanswered(conditions(80), send)).toEqual([]);
});
