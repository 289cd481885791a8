import { describe, expect, test } from 'bun:test';
import { getPath, parsePath } from '../../../src/core/expressions/path.ts';
import type { JsonObject } from '../../../src/core/json/json.ts';
import { describeKind, readConfig } from '../../../src/core/kinds/kind.ts';
import { destinationKinds, findDestinationKind } from '../../../src/delivery/destinations/registry.ts';
import { destinationDeps } from '../../support/delivery.ts';

/** What holds for every kind of destination, whatever it speaks. */

test('each is found by its name, which no other has', () => {
  for (const kind of destinationKinds) expect(findDestinationKind(kind.name)).toBe(kind);
  expect(findDestinationKind('nowhere')).toBeUndefined();
});

for (const kind of destinationKinds) {
  describe(kind.name, () => {
    test('says what it does and shows examples that can be used', async () => {
      expect(kind.docs.length).toBeGreaterThan(40);
      expect(kind.examples.length).toBeGreaterThan(0);
      for (const { title, config } of kind.examples) {
        expect(title).not.toBe('');
        const destination = kind.prepare(readConfig(kind, config, 'config'), destinationDeps());
        expect(destination.readsTraits).toBe(false);
        await destination.close?.();
      }
    });

    test('has a form, with its secrets marked', () => {
      const { schema } = describeKind(kind);
      const marked = JSON.stringify(schema).match(/"writeOnly":true/g) ?? [];
      expect(marked.length).toBeGreaterThanOrEqual(kind.secrets.length);
      const shown = kind.examples.map(({ config }) => config as JsonObject);
      for (const secret of kind.secrets.filter(path => !path.includes('previous'))) {
        expect(shown.some(config => getPath(config, parsePath(secret)) !== undefined)).toBe(true);
      }
    });

    test('refuses a field it does not know', () => {
      const [example] = kind.examples;
      expect(() => readConfig(kind, { ...(example?.config as object), colour: 'red' }, 'config')).toThrow();
    });
  });
}
