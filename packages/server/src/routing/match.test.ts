import { describe, expect, test } from 'bun:test';
import { scopeWith } from '../../test/support/scope.ts';
import { compileRoutes } from './match.ts';

describe('an event goes', () => {
  test('to every destination whose condition it matches, and to those that have none', () => {
    const routes = compileRoutes([
      { id: 'dst_all' },
      { id: 'dst_high', when: 'labels.severity == "high"' },
      { id: 'dst_low', when: 'labels.severity == "low"' },
      { id: 'dst_vip', when: 'entity.traits.plan == "pro"' },
    ]);
    expect(routes.readsTraits).toBe(true);
    expect(routes.match(scopeWith({}, { labels: { severity: 'high' } }))).toEqual({
      kind: 'matched',
      destinations: ['dst_all', 'dst_high', 'dst_vip'],
      notes: [],
    });
  });

  test('nowhere where a condition cannot be decided, and the notes say why', () => {
    const routes = compileRoutes([
      { id: 'dst_a', when: 'payload.total > 5' },
      { id: 'dst_b', when: 'payload.total > 5 || true' },
    ]);
    expect(routes.match(scopeWith({}))).toEqual({
      kind: 'matched',
      destinations: ['dst_b'],
      notes: [{ destination: 'dst_a', note: 'payload.total is absent' }],
    });
  });

  test('by conditions that were stored with a part that is true for no event; saving them is refused', () => {
    const routes = compileRoutes([
      { id: 'dst_a', when: 'event.type in [1] || true' },
      { id: 'dst_b', when: 'event.received_at.getHours("Mars/Olympus") > 5' },
    ]);
    expect(routes.match(scopeWith({}))).toMatchObject({
      destinations: ['dst_a'],
      notes: [{ destination: 'dst_b' }],
    });
    expect(() => routes.check()).toThrow(expect.objectContaining({ path: 'destinations[0].when' }));
  });

  test('nowhere at all where a condition exceeds its budget', () => {
    const n = Array.from({ length: 100_000 }, (_, i) => i);
    const routes = compileRoutes([
      { id: 'dst_a' },
      { id: 'dst_slow', when: 'payload.n.all(a, payload.n.all(b, a + b >= 0))' },
    ]);
    expect(routes.match(scopeWith({ n }))).toMatchObject({ kind: 'over_budget', destination: 'dst_slow' });
  });

  test('only by conditions that read', () => {
    expect(() => compileRoutes([{ id: 'dst_a' }, { id: 'dst_b', when: 'payload.total >' }])).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        path: 'destinations[1].when',
        message: expect.stringContaining('(at character 16)'),
      }),
    );
  });
});
