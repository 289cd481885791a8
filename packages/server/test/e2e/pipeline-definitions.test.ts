import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { AuditRecord } from '@sluice/contract/dashboard-audit';
import type { PipelineRecord, PipelineVersionRecord } from '@sluice/contract/dashboard-pipelines';
import { stepKinds } from '../../src/pipeline/steps/registry.ts';
import { type Browser, dataOf, join, listOf, setUp, stranger } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { makeInbox, makePipeline, makeWebhook, tryPipeline } from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Browser;
let source: string;
let inbox: string;
beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
  source = (await makeWebhook(service.url, owner)).id;
  inbox = await makeInbox(owner);
});
afterAll(() => service.stop());

const filter = (condition: string) => ({ kind: 'filter.match', config: { condition } });
const classify = (model: object) => ({
  kind: 'classify',
  config: { label: 'severity', labels: ['low', 'high'], prompt: 'How bad?', model },
});
const model = { provider: 'openai-compatible', base_url: 'https://models.example.com/v1', name: 'm' };
const read = async (id: string) => dataOf<PipelineRecord>(await owner.get(`/pipelines/${id}`));
const versions = async (id: string) =>
  listOf<PipelineVersionRecord>(await owner.get(`/pipelines/${id}/versions`)).data;

describe('a pipeline', () => {
  test('is made, read, listed and deleted', async () => {
    const input = {
      name: 'Orders',
      sources: [source],
      steps: [filter('payload.total > 1')],
      destinations: [{ id: inbox, when: 'labels.severity == "high"' }, { id: await makeInbox(owner) }],
      enabled: false,
    };
    const made = await tryPipeline(owner, input);
    expect(made.status).toBe(201);
    const record = dataOf<PipelineRecord>(made);
    expect(record).toMatchObject({ ...input, version: 1 });
    expect(await read(record.id)).toMatchObject({ ...record });
    expect(listOf<{ id: string }>(await owner.get('/pipelines')).data.map(({ id }) => id)).toContain(
      record.id,
    );
    expect(dataOf(await owner.delete(`/pipelines/${record.id}`))).toEqual({ id: record.id, deleted: true });
    expectRefused(await owner.get(`/pipelines/${record.id}`), { status: 404, code: 'not_found' });
    expectRefused(await owner.delete(`/pipelines/${record.id}`), { status: 404, code: 'not_found' });
  });

  test('needs a name and nothing else', async () => {
    const record = dataOf<PipelineRecord>(await owner.post('/pipelines', { name: 'Empty' }));
    expect(record).toMatchObject({ sources: [], steps: [], destinations: [], enabled: true, version: 1 });
  });

  const refusals: [string, object, string, string?][] = [
    ['no name', { name: '' }, 'name'],
    ['an unknown field', { step: [] }, 'step'],
    ['an unknown source', { sources: ['src_x'] }, 'sources[0]', 'src_x'],
    ['an unknown destination', { destinations: [{ id: 'dst_x' }] }, 'destinations[0].id', 'dst_x'],
    ['an unknown step', { steps: [{ kind: 'explode' }] }, 'steps[0].kind', 'transform'],
    ['a step without its config', { steps: [{ kind: 'filter.match' }] }, 'steps[0].config.condition'],
    [
      'an unknown field of a step',
      { steps: [{ kind: 'dedupe', config: { kee: 'x' } }] },
      'steps[0].config.kee',
    ],
    [
      'a bad condition, at its character',
      { steps: [filter('true'), filter('payload.a == ')] },
      'steps[1].config.condition',
      'character 14',
    ],
    [
      'matches(), with what to say instead',
      { steps: [filter('payload.a.matches("x")')] },
      'steps[0].config.condition',
      're2',
    ],
    [
      'a bad reference, at its place',
      { steps: [{ kind: 'transform', config: { set: { a: ['$event.nothing.x'] } } }] },
      'steps[0].config.set.a[0]',
      'nothing',
    ],
    [
      'a model at a private address',
      { steps: [classify({ ...model, base_url: 'https://127.0.0.1/v1' })] },
      'steps[0].config.model.base_url',
    ],
  ];
  test.each(refusals)('is refused with %s', async (_what, input, path, says = '') => {
    const answer = await tryPipeline(owner, input);
    expectRefused(answer, { status: 400, code: 'validation_failed', path });
    expect((answer.body as { error: { message: string } }).error.message).toContain(says);
  });

  test('is refused with a bad condition of a destination, or the same destination twice', async () => {
    const bad = await tryPipeline(owner, { destinations: [{ id: inbox, when: 'payload.' }] });
    expectRefused(bad, { status: 400, code: 'validation_failed', path: 'destinations[0].when' });
    const twice = await tryPipeline(owner, { destinations: [{ id: inbox }, { id: inbox }] });
    expectRefused(twice, { status: 400, code: 'validation_failed', path: 'destinations[1].id' });
    const sources = await tryPipeline(owner, { sources: [source, source] });
    expectRefused(sources, { status: 400, code: 'validation_failed', path: 'sources[1]' });
  });
});

describe('versions', () => {
  test('each save makes one, enabling makes none, and all of them can be read', async () => {
    const { id } = await makePipeline(owner, { name: 'One', steps: [filter('payload.n == 1')] });
    const saved = dataOf<PipelineRecord>(
      await owner.patch(`/pipelines/${id}`, {
        name: 'Two',
        steps: [filter('payload.n == 2')],
        enabled: false,
      }),
    );
    expect(saved).toMatchObject({
      name: 'Two',
      version: 2,
      enabled: false,
      steps: [filter('payload.n == 2')],
    });
    const enabled = dataOf<PipelineRecord>(await owner.patch(`/pipelines/${id}`, { enabled: true }));
    expect(enabled).toMatchObject({ version: 2, enabled: true });
    expect(dataOf<PipelineRecord>(await owner.patch(`/pipelines/${id}`, { sources: [source] })).version).toBe(
      3,
    );
    expect(await versions(id)).toMatchObject([
      {
        version: 3,
        name: 'Two',
        sources: [source],
        steps: [filter('payload.n == 2')],
        created_by: 'owner@example.com',
      },
      { version: 2, name: 'Two', sources: [] },
      { version: 1, name: 'One', steps: [filter('payload.n == 1')] },
    ]);
  });

  test('carry a note, given with the save or afterwards, which the audit log has too', async () => {
    const { id } = dataOf<PipelineRecord>(await owner.post('/pipelines', { name: 'Noted', note: ' First ' }));
    await owner.patch(`/pipelines/${id}`, { name: 'Noted twice', note: 'Renamed for billing' });
    await owner.patch(`/pipelines/${id}`, { steps: [filter('true')], note: '' });
    await owner.post(`/pipelines/${id}/rollback`, { version: 1 });
    const notes = async () => (await versions(id)).map(({ note }) => note);
    expect(await notes()).toEqual(['Restores version 1', null, 'Renamed for billing', 'First']);
    const noted = await owner.post(`/pipelines/${id}/notes`, { version: 3, note: 'Lets all through' });
    expect(dataOf<PipelineVersionRecord>(noted)).toMatchObject({ version: 3, note: 'Lets all through' });
    await owner.post(`/pipelines/${id}/notes`, { version: 1, note: '' });
    expect(await notes()).toEqual(['Restores version 1', 'Lets all through', 'Renamed for billing', null]);
    expect(await read(id)).toMatchObject({ version: 4 });
    const entries = listOf<AuditRecord>(await owner.get('/audit')).data.filter(({ target }) => target === id);
    expect(entries.map(({ action, details }) => [action, details.note])).toEqual([
      ['pipeline.noted', ''],
      ['pipeline.noted', 'Lets all through'],
      ['pipeline.rolled_back', undefined],
      ['pipeline.changed', undefined],
      ['pipeline.changed', 'Renamed for billing'],
      ['pipeline.created', 'First'],
    ]);

    const refused = { status: 400, code: 'validation_failed' } as const;
    expectRefused(await owner.patch(`/pipelines/${id}`, { note: 'Alone' }), { ...refused, path: 'note' });
    expectRefused(await owner.post(`/pipelines/${id}/notes`, { version: 9, note: 'x' }), {
      ...refused,
      path: 'version',
    });
    expectRefused(await owner.post(`/pipelines/${id}/notes`, { version: 1, note: 'x'.repeat(501) }), {
      ...refused,
      path: 'note',
    });
  });

  test('a bad change makes none', async () => {
    const { id } = await makePipeline(owner, {});
    const answer = await owner.patch(`/pipelines/${id}`, { steps: [filter('(')] });
    expectRefused(answer, { status: 400, code: 'validation_failed', path: 'steps[0].config.condition' });
    expectRefused(await owner.patch(`/pipelines/${id}`, { version: 7 }), {
      status: 400,
      code: 'validation_failed',
      path: 'version',
    });
    expect(await versions(id)).toHaveLength(1);
  });

  test('a source that is deleted goes in one, and the pipeline can still be changed', async () => {
    const made = dataOf<{ id: string }>(
      await owner.post('/sources', { kind: 'sdk', name: 'Short-lived', match: '*' }),
    );
    const { id } = await makePipeline(owner, { sources: [source, made.id] });
    expect((await owner.delete(`/sources/${made.id}`)).status).toBe(200);
    expect(await read(id)).toMatchObject({ version: 2, sources: [source] });
    expect((await versions(id))[0]).toMatchObject({ version: 2, created_by: 'owner@example.com' });
    expect(dataOf(await owner.patch(`/pipelines/${id}`, { name: 'Renamed' }))).toMatchObject({ version: 3 });
  });

  test('rolling back makes the old definition the newest version', async () => {
    const { id } = await makePipeline(owner, { name: 'First', steps: [filter('payload.n == 1')] });
    await owner.patch(`/pipelines/${id}`, { name: 'Second', steps: [] });
    const back = dataOf<PipelineRecord>(await owner.post(`/pipelines/${id}/rollback`, { version: 1 }));
    expect(back).toMatchObject({ name: 'First', version: 3, steps: [filter('payload.n == 1')] });
    for (const version of [4, 0, 1.5, 'x', null]) {
      expectRefused(await owner.post(`/pipelines/${id}/rollback`, { version }), {
        status: 400,
        code: 'validation_failed',
        path: 'version',
      });
    }
    expect(await versions(id)).toHaveLength(3);
  });

  test('rolling back to a destination that is gone is refused, and names it', async () => {
    const gone = await makeInbox(owner, 'Gone');
    const { id } = await makePipeline(owner, { destinations: [{ id: gone }] });
    expect((await owner.delete(`/destinations/${gone}`)).status).toBe(200);
    expect(await read(id)).toMatchObject({ version: 2, destinations: [] });
    const answer = await owner.post(`/pipelines/${id}/rollback`, { version: 1 });
    expectRefused(answer, { status: 400, code: 'validation_failed', path: 'destinations[0].id' });
    expect(JSON.stringify(answer.body)).toContain(gone);
  });
});

describe('secrets of steps', () => {
  const step = classify({ ...model, api_key: 'canary-api-key' });
  const shown = { set: true };
  const keyOf = (record: PipelineRecord) =>
    (record.steps[0]?.config.model as { api_key: unknown } | undefined)?.api_key;

  test('are shown as set, kept when that is sent back, and in no list, version or audit entry', async () => {
    const made = dataOf<PipelineRecord>(await tryPipeline(owner, { steps: [step] }));
    expect(keyOf(made)).toEqual(shown);
    const steps = [classify({ ...model, name: 'another', api_key: shown })];
    const saved = dataOf<PipelineRecord>(await owner.patch(`/pipelines/${made.id}`, { steps }));
    expect(keyOf(saved)).toEqual(shown);
    const renamed = dataOf<PipelineRecord>(await owner.patch(`/pipelines/${made.id}`, { name: 'Renamed' }));
    expect(keyOf(renamed)).toEqual(shown);
    const back = dataOf<PipelineRecord>(await owner.post(`/pipelines/${made.id}/rollback`, { version: 1 }));
    expect(keyOf(back)).toEqual(shown);
    for (const path of ['/pipelines', `/pipelines/${made.id}/versions`, '/audit', `/pipelines/${made.id}`]) {
      expect(JSON.stringify((await owner.get(path)).body)).not.toContain('canary-api-key');
    }
  });

  test('are not kept where the step would speak to another server', async () => {
    const { id } = dataOf<PipelineRecord>(await tryPipeline(owner, { steps: [step] }));
    const path = 'steps[0].config.model.api_key';
    const { base_url: _, ...withoutUrl } = model;
    for (const moved of [
      { ...model, base_url: 'https://elsewhere.example.com/v1' },
      { ...model, base_url: 'http://models.example.com/v1' },
      withoutUrl,
    ]) {
      const steps = [classify({ ...moved, api_key: shown })];
      for (const answer of [
        await owner.patch(`/pipelines/${id}`, { steps }),
        await owner.post('/pipelines/dry-run', {
          pipeline: { id, steps },
          event: { type: 'x' },
          classify: true,
        }),
      ]) {
        expect(answer.body).toMatchObject({
          error: { message: expect.stringContaining('enter this secret again') },
        });
        expect(JSON.stringify(answer.body)).toContain(path);
        expect(answer.status).toBe(400);
      }
    }
    const samePlace = classify({ ...model, base_url: 'https://models.example.com/v2', api_key: shown });
    expect((await owner.patch(`/pipelines/${id}`, { steps: [samePlace] })).status).toBe(200);
  });

  test('cannot be kept where there is none, and are not taken in their sealed form', async () => {
    const answer = await tryPipeline(owner, { steps: [classify({ ...model, api_key: shown })] });
    const path = 'steps[0].config.model.api_key';
    expectRefused(answer, { status: 400, code: 'validation_failed', path });
    const sealed = await tryPipeline(owner, { steps: [classify({ ...model, api_key: { sealed: 'x' } })] });
    expectRefused(sealed, { status: 400, code: 'validation_failed', path });
  });
});

test('integers of any size stay exact in a definition', async () => {
  const answer = await owner.post(
    '/pipelines',
    '{"name":"Big","steps":[{"kind":"transform","config":{"set":{"n":90071992547409931}}}]}',
  );
  const { id } = dataOf<{ id: string }>(answer);
  await owner.patch(`/pipelines/${id}`, { name: 'Bigger' });
  const headers = { cookie: owner.setCookie?.split(';')[0] ?? '' };
  const text = await (await fetch(`${service.url}/dashboard/api/pipelines/${id}`, { headers })).text();
  expect(text).toContain('"n":90071992547409931');
});

test('the kinds of steps describe themselves', async () => {
  const kinds = dataOf<{ kind: string; schema: object; docs: string; examples: unknown[]; class: string }[]>(
    await owner.get('/kinds/steps'),
  );
  expect(kinds.map(({ kind }) => kind)).toEqual(stepKinds.map(({ name }) => name));
  for (const kind of kinds) {
    expect(kind.schema).toMatchObject({ type: 'object' });
    expect(kind.docs.length).toBeGreaterThan(20);
    expect(kind.examples.length).toBeGreaterThan(0);
    expect(['mutating', 'control', 'enrichment']).toContain(kind.class);
  }
});

describe('who may', () => {
  test('viewers read, members change', async () => {
    const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
    const member = await join(service.url, owner, 'member@example.com', 'member');
    const { id } = await makePipeline(member, {});
    expect((await viewer.get('/pipelines')).status).toBe(200);
    expect((await viewer.get(`/pipelines/${id}`)).status).toBe(200);
    expect((await viewer.get(`/pipelines/${id}/versions`)).status).toBe(200);
    expect((await viewer.get('/kinds/steps')).status).toBe(200);
    for (const answer of [
      await viewer.post('/pipelines', { name: 'x' }),
      await viewer.patch(`/pipelines/${id}`, { name: 'x' }),
      await viewer.delete(`/pipelines/${id}`),
      await viewer.post(`/pipelines/${id}/rollback`, { version: 1 }),
      await viewer.post('/pipelines/dry-run', { pipeline: {}, event: { type: 'x' } }),
    ]) {
      expectRefused(answer, { status: 403, code: 'forbidden' });
    }
  });

  test('another organisation sees, changes and names none of it', async () => {
    const { id } = await makePipeline(owner, { sources: [source] });
    const other = await stranger(service.url, owner, 'elsewhere@example.com');
    for (const answer of [
      await other.get(`/pipelines/${id}`),
      await other.get(`/pipelines/${id}/versions`),
      await other.patch(`/pipelines/${id}`, { name: 'x' }),
      await other.delete(`/pipelines/${id}`),
      await other.post(`/pipelines/${id}/rollback`, { version: 1 }),
    ]) {
      expectRefused(answer, { status: 404, code: 'not_found' });
    }
    expect(listOf(await other.get('/pipelines')).data).toEqual([]);
    expectRefused(await tryPipeline(other, { sources: [source] }), {
      status: 400,
      code: 'validation_failed',
      path: 'sources[0]',
    });
    expectRefused(await tryPipeline(other, { destinations: [{ id: inbox }] }), {
      status: 400,
      code: 'validation_failed',
      path: 'destinations[0].id',
    });
    expect((await read(id)).name).toBe('Pipeline');
  });

  test('a change of nothing leaves no trace in the audit log', async () => {
    const { id } = await makePipeline(owner, {});
    expect(dataOf(await owner.patch(`/pipelines/${id}`, {}))).toMatchObject({ id, version: 1 });
    const entries = listOf<{ target: string; action: string }>(await owner.get('/audit')).data;
    expect(entries.filter(({ target }) => target === id).map(({ action }) => action)).toEqual([
      'pipeline.created',
    ]);
  });

  test('and the audit log records it', async () => {
    const { id } = await makePipeline(owner, { name: 'Audited' });
    await owner.patch(`/pipelines/${id}`, { name: 'Renamed' });
    await owner.patch(`/pipelines/${id}`, { enabled: false });
    await owner.post(`/pipelines/${id}/rollback`, { version: 1 });
    await owner.delete(`/pipelines/${id}`);
    const entries = listOf<{ action: string; target: string; actor: string }>(await owner.get('/audit')).data;
    expect(entries.filter(({ target }) => target === id).map(({ action }) => action)).toEqual([
      'pipeline.deleted',
      'pipeline.rolled_back',
      'pipeline.changed',
      'pipeline.changed',
      'pipeline.created',
    ]);
  });
});
