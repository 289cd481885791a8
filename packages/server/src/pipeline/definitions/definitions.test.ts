import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { temporaryDirectory } from '../../../test/support/service.ts';
import { newId } from '../../core/ids.ts';
import { createVault } from '../../core/secrets/vault.ts';
import type { ConfigurationChange } from '../../core/stores/change.ts';
import type { StorageEngine } from '../../core/stores/engine.ts';
import { openStorage } from '../../storage/open.ts';
import { createDefinitions, type Definitions } from './definitions.ts';

/** Definitions of two organisations on real storage, with every read counted. */
const ORG = newId('org');
const OTHER = newId('org');
let directory: string;
let engine: StorageEngine;
let definitions: Definitions;
let reads: string[];
/** What the next read is held up by, after it has seen what is stored. */
let gate: Promise<void>;

beforeEach(async () => {
  directory = temporaryDirectory();
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  reads = [];
  gate = Promise.resolve();
  definitions = createDefinitions({
    configuration: {
      ...engine.configuration,
      async readProcessing(orgId) {
        reads.push(orgId);
        const wait = gate;
        const read = await engine.configuration.readProcessing(orgId);
        await wait;
        return read;
      },
    },
    vault: createVault('a secret key for tests, 32 characters or more'),
    mayCache: () => true,
  });
  await addPipeline(ORG, 'First');
  await addPipeline(OTHER, 'Theirs');
});
afterEach(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

async function addPipeline(orgId: string, name: string): Promise<void> {
  const definition = JSON.stringify({ name, sources: [], steps: [], destinations: [] });
  const times = { createdAt: Date.now(), updatedAt: Date.now() };
  await engine.configuration.createPipeline(
    { id: newId('pipe'), orgId, name, enabled: true, version: 1, definition, ...times },
    'test',
  );
}

const changeOf = (organisationId: string, what: ConfigurationChange['what']) => ({ organisationId, what });
const namesOf = async (orgId: string) =>
  (await definitions.of(orgId)).pipelines.map(({ name }) => name).toSorted();

describe('definitions', () => {
  test('are read once, and again after a change of their own organisation', async () => {
    await namesOf(ORG);
    await namesOf(OTHER);
    await addPipeline(ORG, 'Second');
    definitions.invalidate(changeOf(ORG, 'pipelines'));
    expect(await namesOf(ORG)).toEqual(['First', 'Second']);
    expect(await namesOf(OTHER)).toEqual(['Theirs']);
    expect(reads).toEqual([ORG, OTHER, ORG]);
  });

  test('stay where keys change, and go where sources or the organisation do', async () => {
    await namesOf(ORG);
    definitions.invalidate(changeOf(ORG, 'keys'));
    await namesOf(ORG);
    expect(reads).toHaveLength(1);
    for (const what of ['sources', 'destinations', 'organisation'] as const) {
      definitions.invalidate(changeOf(ORG, what));
      await namesOf(ORG);
    }
    expect(reads).toHaveLength(4);
  });

  test('all go where changes may have been missed', async () => {
    await namesOf(ORG);
    await namesOf(OTHER);
    definitions.invalidate(null);
    await namesOf(ORG);
    await namesOf(OTHER);
    expect(reads).toEqual([ORG, OTHER, ORG, OTHER]);
  });

  test('whose read began before a change are not kept after it, and those of others are', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    gate = promise;
    const [before, theirs] = [namesOf(ORG), namesOf(OTHER)];
    gate = Promise.resolve();
    await addPipeline(ORG, 'Second');
    definitions.invalidate(changeOf(ORG, 'pipelines'));
    const after = namesOf(ORG);
    expect(await after).toEqual(['First', 'Second']);
    release();
    await Promise.all([before, theirs]);
    expect(await namesOf(ORG)).toEqual(['First', 'Second']);
    expect(await namesOf(OTHER)).toEqual(['Theirs']);
    expect(reads).toEqual([ORG, OTHER, ORG]);
  });

  test('whose read failed are read again, and what was read since is kept', async () => {
    const { promise, reject } = Promise.withResolvers<void>();
    gate = promise;
    const failing = namesOf(ORG);
    gate = Promise.resolve();
    definitions.invalidate(null);
    await namesOf(ORG);
    reject(new Error('It broke.'));
    await expect(failing).rejects.toThrow('It broke.');
    await namesOf(ORG);
    expect(reads).toEqual([ORG, ORG]);
  });

  test('of a version stay the same object, which threads know them by', async () => {
    const [first] = (await definitions.of(ORG)).pipelines;
    definitions.invalidate(changeOf(ORG, 'sources'));
    const [again] = (await definitions.of(ORG)).pipelines;
    expect(again).toBe(first as NonNullable<typeof first>);
    expect(await definitions.version(ORG, first?.id ?? '', 1)).toBe(first ?? null);
  });
});
