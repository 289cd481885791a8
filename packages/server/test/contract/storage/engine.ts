import { expect, test } from 'bun:test';
import { anApiKey, anAuditEntry, aWebhookSource, idAt, NOW, storedOrganisation } from './samples.ts';
import type { OpenedStorage, Subject } from './suite.ts';

export function engineContract(subject: Subject): void {
  test('is writable, and hears of changes', async () => {
    await subject.engine.checkWritable();
    await subject.engine.checkWritable();
    expect(subject.engine.changeFeedIsLive()).toBe(true);
  });

  test('knows how much it holds', async () => {
    const { engine, bytes } = await subject.engine.measure();
    expect(['sqlite', 'postgres']).toContain(engine);
    expect(bytes).toBeGreaterThan(10_000);
  });

  /** Counts the calls of each node's listener while something happens, until every node has had one. */
  async function heardBy(opened: OpenedStorage, change: () => Promise<unknown>): Promise<void> {
    const heard = opened.nodes.map(
      node => new Promise<void>(resolve => node.onConfigurationChanged(resolve)),
    );
    await change();
    await Promise.all(heard);
  }

  test('tells every node of a change of keys, sources and organisations', async () => {
    const opened = await subject.openEmpty();
    const { storage } = opened.nodes[0];
    const org = await storedOrganisation(storage);
    const [key, source] = [anApiKey(org), aWebhookSource(org)];
    await heardBy(opened, () => storage.createApiKey(key));
    await heardBy(opened, () => storage.revokeApiKey(org, key.id, NOW));
    await heardBy(opened, () => storage.createSource(source));
    const audited = storage.audited(anAuditEntry(org));
    await heardBy(opened, () => audited.updateSource(org, source.id, { enabled: false }, NOW));
    await heardBy(opened, () => storage.deleteSource(org, source.id, 'ada', NOW));
    await heardBy(opened, () => storage.updateOrganisation(org, { retentionDays: 1 }));
    await opened.remove();
  });

  test('has told its own node by the time a change is answered', async () => {
    const opened = await subject.openEmpty();
    const [node] = opened.nodes;
    let told = 0;
    node.onConfigurationChanged(() => told++);
    await node.storage.createApiKey(anApiKey(idAt('org', NOW)));
    expect(told).toBeGreaterThan(0);
    await opened.remove();
  });
}
