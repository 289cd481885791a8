import { expect, test } from 'bun:test';
import { aPipeline } from './pipeline-samples.ts';
import { anSdkSource, aWebhookSource, idAt, NOW } from './samples.ts';
import type { Subject } from './suite.ts';

export function pipelinesContract(subject: Subject): void {
  const orgId = () => idAt('org', NOW);

  test('keeps a pipeline as it was made, with its first version', async () => {
    const org = orgId();
    const [first, second] = [aPipeline(org, { enabled: false }), aPipeline(org, { name: 'Zweite „“' })];
    await subject.storage.createPipeline(first, 'ada@example.com');
    await subject.storage.createPipeline(second, 'bob@example.com');
    expect(await subject.storage.findPipeline(org, first.id)).toEqual(first);
    expect(await subject.storage.listPipelines(org)).toEqual([second, first]);
    expect(await subject.storage.listPipelineVersions(org, first.id)).toEqual([
      {
        pipelineId: first.id,
        version: 1,
        definition: first.definition,
        createdBy: 'ada@example.com',
        createdAt: NOW,
        note: null,
      },
    ]);
  });

  test('keeps a note with each version, which may be written, changed and removed afterwards', async () => {
    const org = orgId();
    const pipeline = aPipeline(org);
    const { storage } = subject;
    await storage.createPipeline(pipeline, 'ada', 'The first „one“');
    const save = { from: 1, name: 'x', definition: '{}' };
    await storage.savePipeline(org, pipeline.id, { ...save, note: 'Drops tests' }, 'bob', NOW);
    await storage.savePipeline(org, pipeline.id, { ...save, from: 2 }, 'bob', NOW);
    const notes = async () =>
      (await storage.listPipelineVersions(org, pipeline.id)).map(({ version, note }) => [version, note]);
    expect(await notes()).toEqual([
      [3, null],
      [2, 'Drops tests'],
      [1, 'The first „one“'],
    ]);
    expect(await storage.notePipelineVersion(org, pipeline.id, 3, 'Later')).toBe(true);
    expect(await storage.notePipelineVersion(org, pipeline.id, 1, null)).toBe(true);
    expect(await notes()).toEqual([
      [3, 'Later'],
      [2, 'Drops tests'],
      [1, null],
    ]);
    expect(await storage.notePipelineVersion(org, pipeline.id, 4, 'x')).toBe(false);
    expect(await storage.notePipelineVersion(orgId(), pipeline.id, 1, 'x')).toBe(false);
    // What processes events is the same version as before.
    expect(await storage.findPipeline(org, pipeline.id)).toMatchObject({ version: 3, updatedAt: NOW });
  });

  test('saves the next version, and keeps every one before', async () => {
    const org = orgId();
    const pipeline = aPipeline(org);
    await subject.storage.createPipeline(pipeline, 'ada');
    const save = (from: number, definition: string, enabled?: boolean) =>
      subject.storage.savePipeline(
        org,
        pipeline.id,
        { from, name: `From ${from}`, definition, ...(enabled === undefined ? {} : { enabled }) },
        'bob',
        NOW + from,
      );
    expect(await save(1, '{"v":2}')).toBe('saved');
    expect(await save(2, '{"v":3}', false)).toBe('saved');
    expect(await save(2, '{"v":"late"}')).toBe('changed_meanwhile');
    expect(await subject.storage.findPipeline(org, pipeline.id)).toEqual({
      ...pipeline,
      name: 'From 2',
      enabled: false,
      version: 3,
      definition: '{"v":3}',
      updatedAt: NOW + 2,
    });
    const versions = await subject.storage.listPipelineVersions(org, pipeline.id);
    expect(versions.map(({ version, definition }) => [version, definition])).toEqual([
      [3, '{"v":3}'],
      [2, '{"v":2}'],
      [1, pipeline.definition],
    ]);
    expect(await subject.storage.findPipelineVersion(org, pipeline.id, 2)).toMatchObject({
      definition: '{"v":2}',
      createdBy: 'bob',
      createdAt: NOW + 1,
    });
    expect(await subject.storage.findPipelineVersion(org, pipeline.id, 4)).toBeNull();
  });

  test('lets one of several who save at once make the version', async () => {
    const org = orgId();
    const pipeline = aPipeline(org);
    await subject.storage.createPipeline(pipeline, 'ada');
    const results = await subject.atOnce(10, (storage, n) =>
      storage.savePipeline(org, pipeline.id, { from: 1, name: 'x', definition: `{"n":${n}}` }, 'ada', NOW),
    );
    expect(results.filter(result => result === 'saved')).toHaveLength(1);
    expect(results.filter(result => result === 'changed_meanwhile')).toHaveLength(9);
    expect(await subject.storage.listPipelineVersions(org, pipeline.id)).toHaveLength(2);
  });

  test('enables without a version, and deletes without losing one', async () => {
    const org = orgId();
    const pipeline = aPipeline(org);
    await subject.storage.createPipeline(pipeline, 'ada');
    expect(await subject.storage.enablePipeline(org, pipeline.id, false, NOW + 1)).toBe(true);
    expect(await subject.storage.findPipeline(org, pipeline.id)).toMatchObject({
      enabled: false,
      version: 1,
    });
    expect(await subject.storage.deletePipeline(org, pipeline.id)).toBe(true);
    expect(await subject.storage.deletePipeline(org, pipeline.id)).toBe(false);
    expect(await subject.storage.enablePipeline(org, pipeline.id, true, NOW)).toBe(false);
    expect(await subject.storage.findPipeline(org, pipeline.id)).toBeNull();
    expect(await subject.storage.findPipelineVersion(org, pipeline.id, 1)).not.toBeNull();
    const save = { from: 1, name: 'x', definition: '{}' };
    expect(await subject.storage.savePipeline(org, pipeline.id, save, 'ada', NOW)).toBe('not_found');
  });

  test('lets no other organisation see or change a pipeline', async () => {
    const [org, other] = [orgId(), orgId()];
    const pipeline = aPipeline(org);
    await subject.storage.createPipeline(pipeline, 'ada');
    const { storage } = subject;
    expect(await storage.findPipeline(other, pipeline.id)).toBeNull();
    expect(await storage.listPipelines(other)).toEqual([]);
    expect(await storage.listPipelineVersions(other, pipeline.id)).toEqual([]);
    expect(await storage.findPipelineVersion(other, pipeline.id, 1)).toBeNull();
    const save = { from: 1, name: 'x', definition: '{}' };
    expect(await storage.savePipeline(other, pipeline.id, save, 'eve', NOW)).toBe('not_found');
    expect(await storage.enablePipeline(other, pipeline.id, false, NOW)).toBe(false);
    expect(await storage.deletePipeline(other, pipeline.id)).toBe(false);
    expect(await storage.findPipeline(org, pipeline.id)).toEqual(pipeline);
  });

  test('reads what events are processed by: enabled pipelines, and every source', async () => {
    const org = orgId();
    const [on, off] = [aPipeline(org), aPipeline(org, { enabled: false })];
    const [hook, sdk] = [aWebhookSource(org, { enabled: false }), anSdkSource(org, { match: 'order.*' })];
    for (const pipeline of [on, off]) await subject.storage.createPipeline(pipeline, 'ada');
    for (const source of [hook, sdk]) await subject.storage.createSource(source);
    await subject.storage.createPipeline(aPipeline(orgId()), 'ada');
    const { pipelines, sources } = await subject.storage.readProcessing(org);
    expect(pipelines).toEqual([on]);
    expect(sources.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      { id: hook.id, kind: 'webhook', name: hook.name, enabled: false, match: null },
      { id: sdk.id, kind: 'sdk', name: sdk.name, enabled: true, match: 'order.*' },
    ]);
  });
}
