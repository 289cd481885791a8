import { describe, expect, test } from 'bun:test';
import { Budget } from '../../../src/core/expressions/cel/budget.ts';
import { readConfig } from '../../../src/core/kinds/kind.ts';
import { type OutgoingDelivery, scopeOfDelivery } from '../../../src/delivery/destination.ts';
import { destinationKinds } from '../../../src/delivery/destinations/registry.ts';
import { RENDERING_STEPS } from '../../../src/delivery/rendering/template-renderer.ts';
import { sampleDelivery } from '../../support/delivery.ts';

/** “Open in Sluice” in the messages of every kind that people read. */

const LINK = 'https://sluice.example.com/o/my-shop/events/evt_01JZX6C1D2E3F4G5H6J7K8M9NQ';
const kinds = destinationKinds.filter(({ preview }) => preview !== undefined);
const textField = { slack: 'text', discord: 'text', telegram: 'text', email: 'body' } as const;

/** The message, as text. */
function render(name: string, over: object, delivery: OutgoingDelivery): string {
  const kind = kinds.find(one => one.name === name);
  const config = { ...(kind?.examples[0]?.config as object), ...over };
  const composer = kind?.composer?.(readConfig(kind, config, 'config'));
  return JSON.stringify(
    composer?.compose(delivery, scopeOfDelivery(delivery), new Budget(RENDERING_STEPS)),
  ).replaceAll('\\\\', '\\');
}

test('there is one for each chat and for mails', () => {
  expect(kinds.map(({ name }) => name).sort()).toEqual(Object.keys(textField).sort());
});

describe.each(Object.entries(textField))('a message of %s', (name, field) => {
  const linked = sampleDelivery({ link: LINK });

  test('in the default layout carries the link, unless it is not wanted or there is none', () => {
    expect(render(name, {}, linked)).toContain(LINK);
    expect(render(name, {}, linked)).toContain('Open in Sluice');
    expect(render(name, { link: 'never' }, linked)).not.toContain(LINK);
    expect(render(name, {}, sampleDelivery())).not.toContain('Open in Sluice');
    expect(render(name, { link: 'always' }, sampleDelivery())).not.toContain('Open in Sluice');
  });

  test('with a text of its own carries it where that is asked for, or the text shows it itself', () => {
    const own = (text: string, more: object = {}) => render(name, { [field]: text, ...more }, linked);
    expect(own('{{event.type}}')).not.toContain(LINK);
    expect(own('{{event.type}}', { link: 'always' })).toContain(LINK);
    // As it is, whatever the chat would read into its marks.
    expect(own('See {{event.link}}')).toContain(`See ${LINK}`);
    expect(own('$event.link')).toContain(LINK);
  });

  test('that is cut keeps its link whole', () => {
    expect(render(name, { [field]: 'x'.repeat(9_000), link: 'always' }, linked)).toContain(LINK);
  });

  test('about an alert leads to the page that it is about, within the organisation alone', () => {
    const alert = (about: object) =>
      render(
        name,
        {},
        sampleDelivery({
          link: LINK,
          event: { ...linked.event, type: 'sluice.destination.down' },
          payload: JSON.stringify({ message: 'Down', ...about }),
        }),
      );
    const page = 'https://sluice.example.com/o/my-shop/destinations/dst_1';
    expect(alert({ url: page })).not.toContain(LINK);
    for (const elsewhere of [
      'https://evil.test/o/my-shop/destinations/dst_1',
      'https://sluice.example.com/o/my-shop-2/destinations/dst_1',
      `${page}"><script>`,
      `${page} x`,
    ])
      expect(alert({ url: elsewhere })).toContain(LINK);
    // One that was stored under the names of before leads to its own page.
    expect(alert({ link: page })).toContain(LINK);
  });
});
