import { expect, test } from 'bun:test';
import { accepted } from '../../../../test/contract/storage/pipeline-samples.ts';
import { storedOrganisation } from '../../../../test/contract/storage/samples.ts';
import { everyStore } from '../../../../test/support/every-store.ts';
import { freshDatabase } from '../../../../test/support/postgres.ts';
import { startTcpProxy } from '../../../../test/support/tcp-proxy.ts';
import { openPostgres } from '../../postgres/engine.ts';

const open = (url: string) =>
  openPostgres({
    url,
    onFatal(reason) {
      throw new Error(reason);
    },
  });

test('a search in a database that is far away asks for many events at a time', async () => {
  const database = await freshDatabase();
  const near = await open(database.url);
  const orgId = await storedOrganisation(everyStore(near));
  await accepted(everyStore(near), orgId, 400);
  await near.close();

  const { port } = new URL(database.url);
  const proxy = await startTcpProxy(Number(port), { delayMs: 15 });
  const far = await open(database.url.replace(`:${port}/`, `:${proxy.port}/`));
  const before = proxy.sent();
  const page = { limit: 10, below: null, budgetMs: 60_000 };
  expect(await far.journal.listEvents(orgId, { type: 'absent' }, page)).toEqual({
    events: [],
    next: null,
    searchedTo: null,
  });
  // A few slices, of a few statements each.
  expect(proxy.sent() - before).toBeLessThan(40);
  await far.close();
  await proxy.stop();
  await database.drop();
});
