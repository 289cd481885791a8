import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  addStep,
  beginBetween,
  draftChanges,
  duplicateStep,
  isChanged,
  moveStep,
  type PipelineDraft,
  placeOf,
  summaryOf,
  toDraft,
} from './draft.ts';

const saved: PipelineDraft = toDraft({
  name: 'Orders',
  enabled: true,
  sources: ['src_1'],
  steps: [
    { kind: 'dedupe', config: {} },
    { kind: 'filter.match', config: { condition: 'true' } },
  ],
  destinations: [{ id: 'dst_1', when: 'payload.a == 1' }],
});

describe('what is sent to the server', () => {
  test('is nothing where nothing was changed, and only what was', () => {
    expect(isChanged(saved, saved)).toBe(false);
    expect(draftChanges({ ...saved, enabled: false }, saved)).toEqual({ enabled: false });
    expect(Object.keys(draftChanges({ ...saved, name: 'x', sources: [] }, saved))).toEqual([
      'name',
      'sources',
    ]);
  });

  test('leaves a when out where there is none, and the keys of steps', () => {
    const destinations = [
      { id: 'dst_1', when: undefined },
      { id: 'dst_2', when: '' },
    ];
    expect(draftChanges({ ...saved, destinations, steps: addStep([], 'dedupe') }, saved)).toEqual({
      destinations: [{ id: 'dst_1' }, { id: 'dst_2', when: '' }],
      steps: [{ kind: 'dedupe', config: {} }],
    });
  });

  test('tells integers of any size apart', () => {
    const step = (n: bigint) => ({
      ...beginBetween(undefined, undefined),
      steps: addStep([], 'transform', { set: { n } }),
    });
    expect(isChanged(step(9007199254740993n), step(9007199254740992n))).toBe(true);
  });
});

describe('steps', () => {
  const kinds = (steps: readonly { kind: string }[]) => steps.map(({ kind }) => kind);

  test('are moved to the place of another', () => {
    const steps = ['a', 'b', 'c'].reduce<PipelineDraft['steps']>((all, kind) => addStep(all, kind), []);
    expect(kinds(moveStep(steps, '0', '2'))).toEqual(['b', 'c', 'a']);
    expect(kinds(moveStep(steps, '2', '0'))).toEqual(['c', 'a', 'b']);
    expect(kinds(moveStep(steps, '1', '1'))).toEqual(['a', 'b', 'c']);
    expect(kinds(moveStep(steps, '7', '0'))).toEqual(['a', 'b', 'c']);
  });

  test('are duplicated right below, without the secrets that nobody can read', () => {
    const config = { model: { name: 'm', api_key: { set: true } }, label: 'x' };
    const twice = duplicateStep(addStep(saved.steps, 'classify', config), '2', ['model.api_key']);
    expect(twice[3]).toMatchObject({ kind: 'classify', config: { model: { name: 'm' }, label: 'x' } });
    expect(JSON.stringify(twice[3])).not.toContain('api_key');
    expect(twice[2]?.config).toEqual(config);
  });

  test('have keys of their own, whatever was added, moved or taken out', () => {
    const action = fc.record({ what: fc.constantFrom('add', 'copy', 'move', 'remove'), at: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 20 }), actions => {
        let steps: PipelineDraft['steps'] = saved.steps;
        for (const { what, at } of actions) {
          const key = steps[at % Math.max(1, steps.length)]?.key ?? '';
          if (what === 'add') steps = addStep(steps, 'dedupe');
          if (what === 'copy') steps = duplicateStep(steps, key, []);
          if (what === 'move') steps = moveStep(steps, key, steps[0]?.key ?? '');
          if (what === 'remove') steps = steps.filter(step => step.key !== key);
        }
        expect(new Set(steps.map(({ key }) => key)).size).toBe(steps.length);
      }),
    );
  });
});

test('a pipeline begins between what somebody comes from, and with nothing otherwise', () => {
  const [source, destination] = [
    { id: 'src_1', name: 'GitHub' },
    { id: 'dst_1', name: 'Team' },
  ];
  expect(beginBetween(source, destination)).toMatchObject({
    name: 'GitHub to Team',
    sources: ['src_1'],
    destinations: [{ id: 'dst_1' }],
  });
  expect(beginBetween(source, undefined)).toMatchObject({ name: '', sources: ['src_1'], destinations: [] });
  expect(beginBetween(undefined, undefined)).toMatchObject({ name: '', sources: [], enabled: true });
});

test('an error of the server is found at its place', () => {
  expect(placeOf('steps', 'steps[12].config.condition')).toBe(12);
  expect(placeOf('steps', 'pipeline.steps[0].kind')).toBe(0);
  expect(placeOf('destinations', 'destinations[1].when')).toBe(1);
  expect(placeOf('steps', 'destinations[1].when')).toBeNull();
  expect(placeOf('steps', null)).toBeNull();
});

test('a step is summed up by what it is set to, without its secrets', () => {
  expect(summaryOf({ condition: 'payload.a == 1' })).toBe('payload.a == 1');
  expect(summaryOf({ key: 'payload.id', window_s: 60 })).toBe('payload.id · window s 60');
  expect(summaryOf({ label: 'mood', labels: ['a', 'b'], model: { name: 'm' }, more: 'x' })).toBe(
    'mood · labels a, b · model name',
  );
  expect(summaryOf({ remove: ['notes'] })).toBe('remove notes');
  expect(summaryOf({ detectors: ['email'], mode: 'mask', fields: [] })).toBe('detectors email · mode mask');
  expect(summaryOf({ set: { total: 1, note: '' }, strict: true, other: false })).toBe(
    'set total, note · strict',
  );
  expect(summaryOf({ token: { set: true } })).toBe('');
});
