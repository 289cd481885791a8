import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { newId } from '../../src/core/ids.ts';
import { openStorage } from '../../src/storage/open.ts';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { moodStep, openaiAnswer, startModel } from '../support/model.ts';
import { type ServerProcess, startProcess } from '../support/process.ts';
import { seedOrganisation, temporaryDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

/**
 * An event that takes the process with it whenever it is run. The model that its pipeline asks is the test itself,
 * which kills the server at that moment and lets a supervisor start it again.
 */
test('an event that kills the process is left alone after three tries, and all others get through', async () => {
  const directory = temporaryDirectory();
  const open = () =>
    openStorage({
      directory,
      databaseUrl: undefined,
      onFatal: reason => {
        throw new Error(reason);
      },
    });
  const model = startModel();
  const before = await open();
  const seed = await seedOrganisation(before);
  const { orgId } = seed;
  const now = Date.now();
  const [sourceId, pipelineId] = [newId('src'), newId('pipe')];
  const times = { createdAt: now, updatedAt: now };
  await before.configuration.createSource({
    kind: 'sdk',
    id: sourceId,
    orgId,
    name: 'All',
    enabled: true,
    match: '*',
    lastEventAt: null,
    ...times,
  });
  const classify = moodStep(model);
  const definition = JSON.stringify({ name: 'P', sources: [sourceId], steps: [classify], destinations: [] });
  await before.configuration.createPipeline(
    { id: pipelineId, orgId, name: 'P', enabled: true, version: 1, definition, ...times },
    'test',
  );
  await before.close();

  let server: ServerProcess;
  let kills = 0;
  const start = () =>
    startProcess({
      directory,
      settings: { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' },
    });
  model.answer(() => {
    if (!JSON.stringify(model.asked.at(-1)?.body).includes('poison')) {
      return openaiAnswer({ content: '{"mood":"good"}' });
    }
    kills++;
    server.kill('SIGKILL');
    return new Response('too late');
  });

  server = await start();
  const payloads = Array.from({ length: 12 }, (_, n) => ({ n, is: n === 5 ? 'poison' : 'harmless' }));
  const ids = acceptedIds(
    await ingestWith(
      server.url,
      seed.apiKey,
    )({
      events: payloads.map(payload => ({ type: 'x', payload })),
    }),
  );
  for (let lives = 1; lives <= 3; lives++) {
    expect(await server.ended).toBe('SIGKILL');
    server = await start();
  }
  // An event of later is not held up by what is left of the first.
  const [late = ''] = acceptedIds(
    await ingestWith(server.url, seed.apiKey)({ events: [{ type: 'x', payload: { late: true } }] }),
  );
  await until(() => model.asked.some(({ body }) => JSON.stringify(body).includes('late')), 'Nothing flows.');
  // Quarantined or not, no fourth try may reach the model.
  const reader = watch(directory, orgId);
  await until(async () => reader.waiting() === 0, 'Events are left behind.');
  reader.close();
  server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(kills).toBe(3);

  const after = await open();
  for (const [n, id] of [...ids, late].entries()) {
    const event = await after.journal.findEvent(orgId, id);
    const runs = await after.eventQueue.listRuns(orgId, id);
    expect({ n, state: event?.state, runs: runs.length }).toEqual({
      n,
      state: n === 5 ? 'failed' : 'processed',
      runs: 1,
    });
    if (n === 5)
      expect(runs[0]).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('3 times') });
  }
  await after.close();
  await model.stop();
  rmSync(directory, { recursive: true });
});

/** Looks into the database while the server has it open. */
function watch(directory: string, orgId: string) {
  const database = new Database(`${directory}/sluice.db`, { readonly: true });
  const query = database.query<{ n: number }, [string]>(
    `SELECT count(*) AS n FROM events WHERE org_id = ? AND state IN ('accepted', 'claimed', 'deferred')`,
  );
  return { waiting: () => query.get(orgId)?.n ?? 0, close: () => database.close() };
}
