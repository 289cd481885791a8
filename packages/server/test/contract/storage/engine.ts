import { expect, test } from 'bun:test';
import type { ConfigurationChange, ConfigurationKind } from '../../../src/core/stores/change.ts';
import { everyStore } from '../../support/every-store.ts';
import { aDestination } from './delivery-samples.ts';
import { aWrite } from './entity-samples.ts';
import { aPipeline } from './pipeline-samples.ts';
import { anApiKey, anAuditEntry, aWebhookSource, idAt, NOW, storedOrganisation } from './samples.ts';
import type { OpenedStorage, Subject } from './suite.ts';

export function engineContract(subject: Subject): void {
  test('is writable, and receives changes', async () => {
    await subject.engine.checkWritable();
    await subject.engine.checkWritable();
    expect(subject.engine.changeFeedIsLive()).toBe(true);
  });

  test('knows how much it holds', async () => {
    const { engine, bytes } = await subject.engine.measure();
    expect(['sqlite', 'postgres']).toContain(engine);
    expect(bytes).toBeGreaterThan(10_000);
  });

  /** Resolves when every node has received just this change. */
  async function receivedBy(
    opened: OpenedStorage,
    change: () => Promise<unknown>,
    expected: ConfigurationChange,
  ): Promise<void> {
    const received = opened.nodes.map(
      node =>
        new Promise<void>(resolve => {
          node.onConfigurationChanged(change => {
            if (Bun.deepEquals(change, expected)) resolve();
          });
        }),
    );
    await change();
    await Promise.all(received);
  }

  test('announces to every node whose configuration has changed, and what of it', async () => {
    const opened = await subject.openNew();
    const storage = everyStore(opened.nodes[0]);
    const org = await storedOrganisation(storage);
    // The last one of an installation stays.
    await storedOrganisation(storage);
    const [key, source] = [anApiKey(org), aWebhookSource(org)];
    const [pipeline, destination] = [aPipeline(org), aDestination(org)];
    const of = (what: ConfigurationKind, id: string) => ({ organisationId: org, what, id });
    const audited = () => storage.audited(anAuditEntry(org));
    const save = { from: 1, name: 'x', definition: '{}' };
    const changes: [() => Promise<unknown>, ConfigurationChange][] = [
      [() => storage.createApiKey(key), of('keys', key.id)],
      [() => audited().renameApiKey(org, key.id, 'x'), of('keys', key.id)],
      [() => storage.revokeApiKey(org, key.id, NOW), of('keys', key.id)],
      [() => storage.createSource(source), of('sources', source.id)],
      [() => audited().updateSource(org, source.id, { enabled: false }, NOW), of('sources', source.id)],
      [() => storage.deleteSource(org, source.id, 'ada', NOW), of('sources', source.id)],
      [() => storage.createPipeline(pipeline, 'ada'), of('pipelines', pipeline.id)],
      [() => storage.savePipeline(org, pipeline.id, save, 'ada', NOW), of('pipelines', pipeline.id)],
      [() => storage.enablePipeline(org, pipeline.id, false, NOW), of('pipelines', pipeline.id)],
      [() => storage.deletePipeline(org, pipeline.id), of('pipelines', pipeline.id)],
      [() => storage.createDestination(destination), of('destinations', destination.id)],
      ...[true, false].map((paused): [() => Promise<unknown>, ConfigurationChange] => [
        () => storage.updateDestination(org, destination.id, { paused }, NOW),
        of('destinations', destination.id),
      ]),
      [
        () => storage.openBreaker(org, destination.id, { openedAt: NOW, nextProbeAt: NOW, failure: 'x' }),
        of('destinations', destination.id),
      ],
      [() => storage.hastenProbe(org, destination.id, NOW), of('destinations', destination.id)],
      [() => storage.closeBreaker(org, destination.id), of('destinations', destination.id)],
      [() => storage.deleteDestination(org, destination.id, 'ada', NOW), of('destinations', destination.id)],
      [
        () => storage.updateOrganisation(org, { retentionDays: 1 }),
        { organisationId: org, what: 'organisation' },
      ],
      [() => storage.deleteOrganisation(org, NOW), { organisationId: org, what: 'organisation' }],
    ];
    for (const [change, announced] of changes) await receivedBy(opened, change, announced);
    await opened.remove();
  });

  test('announces nothing that is no configuration', async () => {
    const opened = await subject.openNew();
    const [node] = opened.nodes;
    const org = idAt('org', NOW);
    const announced = new Set<string | undefined>();
    node.onConfigurationChanged(change => announced.add(change?.what));
    const probe = { now: NOW, until: NOW + 1, token: 'node 1', firstDueAt: NOW };
    await node.configuration.takeProbe(org, idAt('dst', NOW), probe);
    await node.configuration.endProbe(org, idAt('dst', NOW), 'node 1', { kind: 'not_sent' });
    await node.configuration.recordAudit(anAuditEntry(org));
    // A change that is announced after them is the only one.
    await node.configuration.createApiKey(anApiKey(org));
    expect([...announced]).toEqual(['keys']);
    await opened.remove();
  });

  test('has announced a change to its own node by the time it is answered', async () => {
    const opened = await subject.openNew();
    const [node] = opened.nodes;
    let announced = 0;
    node.onConfigurationChanged(() => announced++);
    await node.configuration.createApiKey(anApiKey(idAt('org', NOW)));
    expect(announced).toBeGreaterThan(0);
    await opened.remove();
  });

  test('reads all that belongs to one answer from one state of the database', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const kinds = ['account', 'person'];
    const writeBoth = (n: number) =>
      storage.writeEntities([
        { orgId: org, writes: kinds.map(kind => aWrite({ kind, externalId: 'x' }, { n })) },
      ]);
    await writeBoth(0);
    let isOver = false;
    const writing = (async () => {
      for (let n = 1; !isOver; n++) await writeBoth(n);
    })();
    const page = { limit: 10, position: null, budgetMs: 10_000 };
    try {
      for (let reads = 0; reads < 200; reads++) {
        const { entities } = await storage.listEntities(org, {}, page);
        expect(entities.map(({ traits }) => traits)).toEqual(Array(2).fill(entities[0]?.traits));
      }
    } finally {
      isOver = true;
      await writing;
    }
  });

  test('offers what its stores promise and nothing else of its queries', () => {
    const { counters, deliveryQueue, journal } = subject.engine;
    expect(Object.keys({ ...counters, ...deliveryQueue, ...journal })).not.toContainAnyValues([
      'rangesOf',
      'countFailedEventsOfAll',
      'deadDeliveries',
    ]);
  });
}
