import { afterAll, describe, expect, test } from 'bun:test';
import { renderingThread, sampleDelivery } from '../../../test/support/delivery.ts';
import { Budget } from '../../core/expressions/cel/budget.ts';
import { readConfig } from '../../core/kinds/kind.ts';
import type { StartCalledThread } from '../../core/threads/called-thread.ts';
import { type Recipe, scopeOfDelivery } from '../destination.ts';
import { discordDestination } from '../destinations/discord.ts';
import { destinationKinds } from '../destinations/registry.ts';
import type { RenderingCall, RenderingReply } from './rendering-protocol.ts';
import { createRenderingThread } from './rendering-thread.ts';
import { createTemplateRenderer, RENDERING_STEPS } from './template-renderer.ts';

const thread = renderingThread();
afterAll(() => thread.stop());

const large = (length: number) =>
  JSON.stringify({ id: 9_007_199_254_740_991, text: 'é"'.repeat(length / 2) });
const url = 'https://example.com/hook';

describe('what the thread makes of an event', () => {
  const composing = destinationKinds.filter(kind => kind.composer !== undefined);
  const cases = composing.flatMap(kind =>
    kind.examples.map(({ title, config }) => [`${kind.name}: ${title}`, kind, config] as const),
  );
  test.each(cases)('is what is made of it here, %s', async (_, kind, given) => {
    const config = readConfig(kind, given, 'config');
    const composer = kind.composer?.(config);
    if (composer === undefined) throw new Error('It renders nothing.');
    const payload = `{"exact":123456789012345678901,${large(40_000).slice(1)}`;
    const delivery = sampleDelivery({ payload });
    const here = composer.compose(delivery, scopeOfDelivery(delivery), new Budget(RENDERING_STEPS));
    expect(await thread.render(delivery, { kind: kind.name, config, composer })).toEqual(here);
  });

  test('fails where the budget is spent, as it does here', async () => {
    const n = Array.from({ length: 20_000 }, (_, i) => i);
    const text = '{{ payload.n.exists(a, payload.n.exists(b, a + b < 0)) }}';
    const renderer = createTemplateRenderer(thread);
    const config = { url, text };
    const composer = discordDestination.composer?.(config);
    if (composer === undefined) throw new Error('It renders nothing.');
    const delivery = sampleDelivery({ payload: JSON.stringify({ n }) });
    expect(await renderer.render(delivery, { kind: 'discord', config, composer })).toMatchObject({
      kind: 'failed',
      failure: { code: 'too_large' },
    });
  });
});

describe('the thread', () => {
  /** A thread made by hand, which answers what it is told to. */
  function threads(answers: (n: number) => 'at once' | 'never' | 'ends') {
    let started = 0;
    let ended = 0;
    const seen: string[] = [];
    const start: StartCalledThread<RenderingCall, RenderingReply> = ({ onMessage, onFailure }) => {
      const n = ++started;
      return {
        post({ call, delivery }) {
          seen.push(delivery.orgId);
          const does = answers(n);
          if (does === 'at once') queueMicrotask(() => onMessage({ kind: 'rendered', call, value: 'done' }));
          if (does === 'ends') queueMicrotask(() => onFailure('out of memory'));
        },
        end: () => void ended++,
      };
    };
    return { start, seen, started: () => started, ended: () => ended };
  }
  const recipe: Recipe<unknown> = {
    kind: 'none',
    config: {},
    composer: { readsTraits: false, check: () => {}, compose: () => 'here' },
  };
  const payload = large(100_000);

  test.each(['never', 'ends'] as const)(
    'that %s gets on takes what it had with it; the next has another',
    async does => {
      const made = threads(n => (n === 1 ? does : 'at once'));
      const errors: unknown[] = [];
      const rendering = createRenderingThread({
        start: made.start,
        onError: error => errors.push(error),
        stuckAfterMs: 500,
      });
      const failed = rendering.render(sampleDelivery({ payload }), recipe).catch((error: Error) => error);
      expect(await failed).toBeInstanceOf(Error);
      expect(await rendering.render(sampleDelivery({ payload }), recipe)).toBe('done');
      expect([made.started(), made.ended(), errors.length]).toEqual([2, 1, 1]);
      rendering.stop();
    },
  );

  test('has large payloads and no others, of each organisation one at a time', async () => {
    const made = threads(() => 'at once');
    const rendering = createRenderingThread({ start: made.start, onError: () => {} });
    const renderer = createTemplateRenderer(rendering);
    expect(await renderer.render(sampleDelivery(), recipe)).toBe('here');
    expect(made.seen).toEqual([]);
    const send = (orgId: string) => renderer.render(sampleDelivery({ orgId, payload }), recipe);
    expect(await Promise.all(['a', 'a', 'a', 'b', 'c', 'b'].map(send))).toEqual(Array(6).fill('done'));
    expect(made.seen.slice(0, 3)).toEqual(['a', 'b', 'c']);
    rendering.stop();
  });

  test('that is stopped rejects what it had', async () => {
    const rendering = createRenderingThread({ start: threads(() => 'never').start, onError: () => {} });
    const waiting = rendering
      .render(sampleDelivery({ payload }), recipe)
      .catch((error: Error) => error.message);
    await Promise.resolve();
    rendering.stop();
    expect(await waiting).toBe('The service is stopping.');
  });
});
