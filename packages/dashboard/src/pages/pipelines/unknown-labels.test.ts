import { describe, expect, test } from 'bun:test';
import { labelReadBy } from './unknown-labels.ts';

const labels = ['severity', 'topic'];
const transform = (config: Record<string, unknown>) => ({ config });

describe('a condition depends on a label', () => {
  test('that it reads, however it is written', () => {
    const reads = (condition: string) => labelReadBy(condition, labels, []);
    expect(reads('labels.severity == "high"')).toBe('severity');
    expect(reads(`labels['topic'] == "sales"`)).toBe('topic');
    expect(reads('{"condition":"labels[\\"topic\\"] == 1"}')).toBe('topic');
    expect(reads('labels.severity_before == "high"')).toBeUndefined();
    expect(reads('payload.severity == "high"')).toBeUndefined();
  });

  test('that a step before has copied into the payload', () => {
    const steps = [
      transform({ set: { sev: '$event.labels.severity', total: '$event.payload.total' } }),
      transform({ set: { 'about.how': '{{ payload.sev + "!" }}' } }),
      transform({ rename: { 'about.how': 'tone' } }),
    ];
    const reads = (condition: string, before = steps) => labelReadBy(condition, labels, before);
    expect(reads('payload.sev == "high"')).toBe('severity');
    expect(reads('payload["sev"] == "high"')).toBe('severity');
    expect(reads('payload.about.how == "high!"', steps.slice(0, 2))).toBe('severity');
    expect(reads('payload.tone == "high!"')).toBe('severity');
    expect(reads('payload.total > 5')).toBeUndefined();
    expect(reads('payload.sev == "high"', [])).toBeUndefined();
    const whole = [transform({ template: { about: { topic: '$event.labels.topic' }, id: 1 } })];
    expect(reads('payload.about.topic == "sales"', whole)).toBe('topic');
    expect(reads('payload.id == 1', whole)).toBeUndefined();
  });

  test('that a step before has copied with all the others', () => {
    const steps = [transform({ set: { all: '$event.labels' } }), transform({ rename: { all: 'told' } })];
    const reads = (condition: string, before = steps) => labelReadBy(condition, labels, before);
    expect(reads('payload.all.topic == "sales"', steps.slice(0, 1))).toBe('topic');
    expect(reads('payload.told.topic == "sales"')).toBe('topic');
    expect(reads('payload.told.severity == "high"')).toBe('severity');
    expect(reads('size(payload.told) > 1')).toBe('severity');
    expect(reads('payload.told.origin == "shop"')).toBeUndefined();
    expect(reads('payload.all.topic == "sales"')).toBeUndefined();
  });

  test('but not once a step after that has put something else in its place', () => {
    const copied = transform({
      set: { sev: '$event.labels.severity', 'about.topic': '$event.labels.topic' },
    });
    const reads = (condition: string, ...after: ReturnType<typeof transform>[]) =>
      labelReadBy(condition, labels, [copied, ...after]);
    expect(reads('payload.sev == "high"')).toBe('severity');
    expect(reads('payload.sev == "high"', transform({ template: { id: 1 } }))).toBeUndefined();
    expect(reads('payload.sev == "high"', transform({ template: { sev: '$event.payload.sev' } }))).toBe(
      'severity',
    );
    expect(reads('payload.sev == "high"', transform({ set: { sev: 'high' } }))).toBeUndefined();
    expect(reads('payload.sev == "high"', transform({ rename: { total: 'sev' } }))).toBeUndefined();
    expect(reads('payload.sev == "high"', transform({ rename: { sev: 'total' } }))).toBeUndefined();
    expect(reads('payload.sev == "high"', transform({ remove: ['sev'] }))).toBeUndefined();
    expect(reads('payload.about.topic == "sales"', transform({ remove: ['about'] }))).toBeUndefined();
    // Both are taken out before either is put in, and both values are read before either is set.
    const swap = { sev: 'about.topic', 'about.topic': 'sev' };
    expect(reads('payload.sev == "sales"', transform({ rename: swap }))).toBe('topic');
    const again = { sev: 1, tone: '$event.payload.sev' };
    expect(reads('payload.tone == "high"', transform({ set: again }))).toBe('severity');
  });
});
