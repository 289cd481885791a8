import { expect, test } from 'bun:test';
import type { SealedRecord, SealedSort } from '../../../src/core/stores/configuration/sealed.ts';
import { type EveryStore, everyStore } from '../../support/every-store.ts';
import { aDestination } from './delivery-samples.ts';
import { aPipeline } from './pipeline-samples.ts';
import { anSdkSource, aWebhookSource, NOW, storedOrganisation, storedOwner } from './samples.ts';
import type { Subject } from './suite.ts';

export function sealedContract(subject: Subject): void {
  /** All of a sort, read two at a time. */
  async function readAll(storage: EveryStore, sort: SealedSort): Promise<SealedRecord[]> {
    const all: SealedRecord[] = [];
    for (let page = await storage.listSealed(sort, null, 2); page.length > 0; ) {
      all.push(...page);
      page = await storage.listSealed(sort, all.at(-1) ?? null, 2);
    }
    return all;
  }

  async function fill(storage: EveryStore) {
    const orgs = [await storedOrganisation(storage), await storedOrganisation(storage)];
    const made = orgs.map(org => ({
      webhook: aWebhookSource(org),
      rotated: aWebhookSource(org, {
        previousSealedSecret: 'before',
        previousSecretUntil: NOW,
        sealedVerifyToken: 'token',
      }),
      sdk: anSdkSource(org),
      destination: aDestination(org),
      pipeline: aPipeline(org),
    }));
    const { user } = await storedOwner(storage);
    await storage.turnOnSecondFactor(user, { sealedSecret: 'sealed', step: 1, createdAt: NOW }, []);
    for (const { webhook, rotated, sdk, destination, pipeline } of made) {
      for (const source of [webhook, rotated, sdk]) await storage.createSource(source);
      await storage.createDestination(destination);
      await storage.createPipeline(pipeline, 'a@example.com');
      const next = { from: 1, name: 'Orders', definition: '{"steps":[]}' };
      await storage.savePipeline(pipeline.orgId, pipeline.id, next, 'a@example.com', NOW);
    }
    return { made, user };
  }

  test('lists whatever has sealed secrets inside, of all organisations, each once', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const { made, user } = await fill(storage);
    const sources = made.flatMap(({ webhook, rotated }) => [webhook, rotated]);
    expect(new Set(await readAll(storage, 'source'))).toEqual(
      new Set(
        sources.map(({ orgId, id, sealedToken, sealedSecret, previousSealedSecret, sealedVerifyToken }) => ({
          sort: 'source',
          orgId,
          id,
          version: 0,
          kind: '',
          texts: {
            token: sealedToken,
            secret: sealedSecret,
            ...(previousSealedSecret === null ? {} : { previous_secret: previousSealedSecret }),
            ...(sealedVerifyToken === null ? {} : { verify_token: sealedVerifyToken }),
          },
        })),
      ),
    );
    expect(new Set((await readAll(storage, 'destination')).map(({ id }) => id))).toEqual(
      new Set(made.map(({ destination }) => destination.id)),
    );
    expect((await readAll(storage, 'pipeline')).map(({ version, texts }) => [version, texts])).toEqual(
      made.flatMap(({ pipeline }) => [
        [1, { definition: pipeline.definition }],
        [2, { definition: '{"steps":[]}' }],
      ]),
    );
    expect(await readAll(storage, 'second_factor')).toEqual([
      { sort: 'second_factor', orgId: '', id: user.id, version: 0, kind: '', texts: { secret: 'sealed' } },
    ]);
    await remove();
  });

  test('replaces what is still as it was read, and nothing else of it', async () => {
    const {
      made: [made],
      user,
    } = await fill(subject.storage);
    if (made === undefined) throw new Error('nothing was made');
    const { rotated, destination, pipeline } = made;
    const find = async (sort: SealedSort, id: string) =>
      (await readAll(subject.storage, sort)).filter(record => record.id === id);
    const [source] = await find('source', rotated.id);
    const [place] = await find('destination', destination.id);
    const [first] = await find('pipeline', pipeline.id);
    const [factor] = await find('second_factor', user.id);
    if (!source || !place || !first || !factor) throw new Error('something is not listed');

    const replacements: { record: SealedRecord; texts: Record<string, string> }[] = [
      { record: source, texts: { token: 'A', secret: 'B', previous_secret: 'C' } },
      { record: place, texts: { config: '{"a":1}' } },
      { record: first, texts: { definition: '{"b":2}' } },
      { record: factor, texts: { secret: 'E' } },
    ];
    expect(await subject.storage.replaceSealed(replacements)).toEqual([true, true, true, true]);
    // They were read before that: whoever comes late changes nothing.
    expect(await subject.storage.replaceSealed(replacements)).toEqual([false, false, false, false]);
    expect(await subject.storage.findSecondFactor(user.id)).toMatchObject({ sealedSecret: 'E' });
    expect(await subject.storage.findSource(rotated.orgId, rotated.id)).toEqual({
      ...rotated,
      sealedToken: 'A',
      sealedSecret: 'B',
      previousSealedSecret: 'C',
    });
    expect(await subject.storage.findDestination(destination.orgId, destination.id)).toEqual({
      ...destination,
      config: '{"a":1}',
    });
    const versions = await subject.storage.listPipelineVersions(pipeline.orgId, pipeline.id);
    expect(versions.map(({ definition }) => definition)).toEqual(['{"steps":[]}', '{"b":2}']);

    const [again] = await find('source', rotated.id);
    if (!again) throw new Error('it is gone');
    const onlyOne = { record: again, texts: { ...again.texts, secret: 'D' } };
    await subject.storage.updateSource(rotated.orgId, rotated.id, { previousSealedSecret: null }, NOW);
    expect(await subject.storage.replaceSealed([onlyOne])).toEqual([true]);
    expect(await subject.storage.findSource(rotated.orgId, rotated.id)).toMatchObject({
      sealedToken: 'A',
      sealedSecret: 'D',
      previousSealedSecret: null,
    });
  });
}
