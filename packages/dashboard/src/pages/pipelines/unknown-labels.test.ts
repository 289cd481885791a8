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
    expect(reads('payload.about.how == "high!"')).toBe('severity');
    expect(reads('payload.tone == "high!"')).toBe('severity');
    expect(reads('payload.total > 5')).toBeUndefined();
    expect(reads('payload.sev == "high"', [])).toBeUndefined();
    const whole = [transform({ template: { about: { topic: '$event.labels.topic' }, id: 1 } })];
    expect(reads('payload.about.topic == "sales"', whole)).toBe('topic');
    expect(reads('payload.id == 1', whole)).toBeUndefined();
  });
});
