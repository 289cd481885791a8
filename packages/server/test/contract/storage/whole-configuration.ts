import { expect, test } from 'bun:test';
import { type ConfigurationEdit, fingerprintOf } from '../../../src/core/stores/configuration/whole.ts';
import { aDestination } from './delivery-samples.ts';
import { aPipeline } from './pipeline-samples.ts';
import { anAuditEntry, anSdkSource, aWebhookSource, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

/** The whole configuration of an organisation, read and changed in one go. */
export function wholeConfigurationContract(subject: Subject): void {
  const nothing: ConfigurationEdit = {
    sources: { created: [], changed: [], removed: [] },
    destinations: { created: [], changed: [], removed: [] },
    pipelines: { created: [], changed: [], removed: [] },
  };
  const by = 'somebody@example.com';
  const definition = (sources: readonly string[], destinations: readonly string[]) =>
    JSON.stringify({ name: 'P', sources, steps: [], destinations: destinations.map(id => ({ id })) });

  test('changes everything that an edit names, each with a record, and nothing else', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const other = await storedOrganisation(storage);
    const [kept, gone, made] = [aWebhookSource(org), anSdkSource(org), anSdkSource(org)];
    const [paused, dropped, fresh] = [aDestination(org), aDestination(org), aDestination(org)];
    const pipeline = aPipeline(org, { definition: definition([kept.id, gone.id], [paused.id]) });
    const turned = aPipeline(org, { definition: definition([kept.id], [dropped.id]) });
    const removed = aPipeline(org);
    const foreign = aWebhookSource(other);
    for (const source of [kept, gone, foreign]) await storage.createSource(source);
    for (const destination of [paused, dropped]) await storage.createDestination(destination);
    for (const one of [pipeline, turned, removed]) await storage.createPipeline(one, by);
    const before = await storage.readConfiguration(org);
    const entry = anAuditEntry(org);

    const edit: ConfigurationEdit = {
      sources: {
        created: [made],
        changed: [{ id: kept.id, change: { enabled: false } }],
        removed: [gone.id],
      },
      destinations: {
        created: [fresh],
        changed: [{ id: paused.id, change: { paused: true } }],
        removed: [dropped.id],
      },
      pipelines: {
        created: [],
        changed: [
          {
            id: pipeline.id,
            change: { from: 1, name: 'Renamed', definition: definition([made.id], [fresh.id]) },
          },
          { id: turned.id, change: { enabled: !turned.enabled } },
        ],
        removed: [removed.id],
      },
    };
    const audited = storage.audited(entry);
    expect(await audited.editConfiguration(org, edit, fingerprintOf(before), by, NOW + 1)).toBe('saved');

    const after = await storage.readConfiguration(org);
    expect(after.sources.filter(({ kind }) => kind !== 'system')).toEqual(
      [made, { ...kept, enabled: false, updatedAt: NOW + 1 }].toSorted(byIdDown),
    );
    expect(after.destinations).toEqual(
      [fresh, { ...paused, paused: true, updatedAt: NOW + 1 }].toSorted(byIdDown),
    );
    const shown = after.pipelines.map(({ id, name, version, enabled, definition }) => [
      id,
      name,
      version,
      enabled,
      definition,
    ]);
    expect(shown).toContainEqual([
      pipeline.id,
      'Renamed',
      2,
      pipeline.enabled,
      definition([made.id], [fresh.id]),
    ]);
    // What is removed is taken out of the pipelines that named it, in a version of its own.
    expect(shown).toContainEqual([turned.id, turned.name, 2, !turned.enabled, definition([kept.id], [])]);
    expect(shown).toHaveLength(2);
    expect(await storage.findAudit(org, entry.id)).toEqual(entry);
    expect(await storage.findSource(other, foreign.id)).toEqual(foreign);
  });

  test('changes nothing, and records nothing, once anything has changed since', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const source = aWebhookSource(org);
    await storage.createSource(source);
    const destination = aDestination(org);
    await storage.createDestination(destination);
    const pipeline = aPipeline(org);
    await storage.createPipeline(pipeline, by);
    const edit = {
      ...nothing,
      sources: { ...nothing.sources, changed: [{ id: source.id, change: { enabled: false } }] },
    };
    const changes = [
      () => storage.updateSource(org, source.id, { ratePerSecond: 3 }, NOW + 5),
      () => storage.updateDestination(org, destination.id, { paused: true }, NOW + 5),
      () => storage.enablePipeline(org, pipeline.id, !pipeline.enabled, NOW + 5),
      () => storage.createSource(anSdkSource(org)),
    ];
    for (const change of changes) {
      const expected = fingerprintOf(await storage.readConfiguration(org));
      await change();
      const entry = anAuditEntry(org);
      const audited = storage.audited(entry);
      expect(await audited.editConfiguration(org, edit, expected, by, NOW + 6)).toBe('changed_meanwhile');
      expect(await storage.findAudit(org, entry.id)).toBeNull();
    }
    expect(await storage.findSource(org, source.id)).toMatchObject({ enabled: source.enabled });
  });

  test('is the same configuration after events came in and a breaker opened', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const source = aWebhookSource(org);
    await storage.createSource(source);
    const destination = aDestination(org);
    await storage.createDestination(destination);
    const before = fingerprintOf(await storage.readConfiguration(org));
    const seen = [{ id: source.id, at: NOW + 3 }];
    await storage.recordActivity({ keysUsed: [], sourcesSeen: seen, rejections: [] });
    const opened = { openedAt: NOW, nextProbeAt: NOW + 1, failure: 'Refused.' };
    await storage.openBreaker(org, destination.id, opened);
    expect(fingerprintOf(await storage.readConfiguration(org))).toBe(before);
  });
}

const byIdDown = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? 1 : -1);
