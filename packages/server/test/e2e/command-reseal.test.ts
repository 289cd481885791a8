import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { KEY_CHECK_SETTING, keyCheckValue } from '../../src/core/secrets/key-check.ts';
import { runCommand } from '../support/command.ts';
import { type Browser, dataOf, logIn, setUp } from '../support/dashboard.ts';
import { post, sign } from '../support/endpoints.ts';
import { newFolder } from '../support/folder.ts';
import { makePipeline } from '../support/pipelines.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startTestService, TEST_SECRET_KEY, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const NEW_KEY = 'the key that comes after, 32 characters or more';
const both = { SLUICE_SECRET_KEY: NEW_KEY, SLUICE_SECRET_KEY_PREVIOUS: TEST_SECRET_KEY };
const onlyNew = { SLUICE_SECRET_KEY: NEW_KEY };

const model = { provider: 'openai-compatible', base_url: 'https://models.example.com/v1', name: 'm' };
const classify = {
  kind: 'classify',
  config: {
    label: 'severity',
    labels: ['low', 'high'],
    prompt: 'How bad?',
    model: { ...model, api_key: 'canary-api-key' },
  },
};

/** What `makeSecrets` has sealed: a source's token and secret, a destination's secret, a step's key in two versions. */
const SECRETS = 5;

interface MadeSecrets {
  readonly token: string;
  readonly secret: string;
}

async function makeSecrets(owner: Browser): Promise<MadeSecrets> {
  const hook = { kind: 'webhook', name: 'Hook', auth: 'hmac', rate: { per_second: 0 } };
  const source = dataOf<{ id: string; token: string; secret: string }>(await owner.post('/sources', hook));
  const config = { url: 'https://hooks.example.com/x', auth: { mode: 'hmac' } };
  dataOf(await owner.post('/destinations', { kind: 'webhook', name: 'There', config }));
  const { id } = await makePipeline(owner, { sources: [source.id], steps: [classify], enabled: false });
  dataOf(await owner.patch(`/pipelines/${id}`, { name: 'Renamed' }));
  return source;
}

/** Whether the service opens all of them: it checks the signature, shows the token, and keeps the step's key. */
async function expectReadable(service: TestService, { token, secret }: MadeSecrets): Promise<void> {
  const body = '{"type":"signed"}';
  const signed = { 'X-Ingest-Signature': sign(secret, body) };
  expect((await post(`${service.url}/whk/${token}`, body, signed)).status).toBe(202);
  const owner = await logIn(service.url, 'owner@example.com');
  expect(dataOf(await owner.get('/sources'))).toMatchObject([{ token }, { kind: 'system' }]);
  const [destination] = dataOf<{ id: string }[]>(await owner.get('/destinations'));
  expect((await owner.post(`/destinations/${destination?.id}/rotate`, {})).status).toBe(200);
  const [pipeline] = dataOf<{ id: string }[]>(await owner.get('/pipelines'));
  expect((await owner.post(`/pipelines/${pipeline?.id}/rollback`, { version: 1 })).status).toBe(200);
}

const keyCheck = (service: TestService) => service.engine.upkeep.keepSetting(KEY_CHECK_SETTING, '');

/** Those that seal something, as the database has them; replaced where others are given. */
function keysOnRecord(directory: string, replaced?: string): string {
  const database = new Database(join(directory, 'sluice.db'));
  if (replaced !== undefined)
    database.query('UPDATE settings SET value = ? WHERE name = ?').run(replaced, KEY_CHECK_SETTING);
  const row = database
    .query<{ value: string }, [string]>('SELECT value FROM settings WHERE name = ?')
    .get(KEY_CHECK_SETTING);
  database.close();
  return row?.value ?? '';
}

describe('a change of the secret key', () => {
  test('is made by the command on a data directory that nobody serves', async () => {
    const directory = newFolder();
    const before = await startTestService({ directory });
    const made = await makeSecrets(await setUp(before));
    const settings = { SLUICE_DATA_DIR: directory, SLUICE_LOG_LEVEL: 'silent' };
    const beside = await runCommand(['reseal'], { ...settings, ...both });
    expect(beside).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('The service is running'),
    });
    await before.stop();

    expect(await runCommand(['reseal', '--now'], { ...settings, ...both })).toMatchObject({ code: 64 });
    const wrong = await runCommand(['reseal'], { ...settings, ...onlyNew });
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('is not the one') });

    const count = await runCommand(['reseal', '--check'], { ...settings, ...both });
    expect(count).toEqual({ code: 1, out: `0 sealed again, ${SECRETS} left.\n`, err: '' });
    expect(keysOnRecord(directory)).toBe(keyCheckValue(TEST_SECRET_KEY));
    const half = await runCommand(['doctor'], { ...settings, ...both });
    expect(half).toMatchObject({ code: 0, out: expect.stringContaining('is being changed') });
    const another = await runCommand(['doctor'], { ...settings, ...onlyNew });
    expect(another).toMatchObject({ code: 1, out: expect.stringContaining('is not the one') });

    const done = await runCommand(['reseal'], { ...settings, ...both });
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toStartWith(`${SECRETS} sealed again, 0 left.\n`);
    expect(done.out).toContain('it may be removed');
    const well = await runCommand(['doctor'], { ...settings, ...both });
    expect(well.out).toContain('the previous one seals nothing');
    const checked = await runCommand(['reseal', '--check'], { ...settings, ...both });
    expect(checked).toMatchObject({ code: 0, err: '', out: expect.stringContaining('it may be removed') });

    // As if it had been killed between the last secret and the record of the keys.
    const [oldValue, newValue] = [keyCheckValue(TEST_SECRET_KEY), keyCheckValue(NEW_KEY)];
    keysOnRecord(directory, `${oldValue} ${newValue}`);
    const unsettled = await runCommand(['reseal', '--check'], { ...settings, ...both });
    expect(unsettled).toMatchObject({ code: 1, err: '' });
    expect(unsettled.out).toContain('run sluice reseal');
    expect(unsettled.out).not.toContain('may be removed');
    const alone = await runCommand(['doctor'], { ...settings, ...onlyNew });
    expect(alone).toMatchObject({ code: 1, out: expect.stringContaining('give the other one too') });
    expect(await runCommand(['reseal'], { ...settings, ...both })).toMatchObject({ code: 0 });
    expect(keysOnRecord(directory)).toBe(newValue);

    const old = await startTestService({ directory }).catch(messageOf);
    expect(old).toContain('is not the one that this database was sealed with');
    const after = await startTestService({ directory, settings: onlyNew });
    await expectReadable(after, made);
    await after.stop();
  });

  test('is made by the service itself, also of a key that it has made', async () => {
    const directory = newFolder();
    const own = { SLUICE_SECRET_KEY: '' };
    const before = await startTestService({ directory, settings: own });
    const made = await makeSecrets(await setUp(before));
    await before.stop();

    const file = join(directory, 'secret.key');
    const oldKey = readFileSync(file, 'utf8');
    renameSync(file, `${file}.previous`);
    const changing = await startTestService({ directory, settings: own });
    const newKey = readFileSync(file, 'utf8');
    expect(newKey).not.toBe(oldKey);
    await expectReadable(changing, made);
    await until(async () => (await keyCheck(changing)) === keyCheckValue(newKey), 'it is not done');
    await changing.stop();

    rmSync(`${file}.previous`);
    const after = await startTestService({ directory, settings: own });
    await expectReadable(after, made);
    await after.stop();
  });

  test('is made by the command beside nodes on PostgreSQL that have both keys', async () => {
    const database = await freshDatabase();
    const settings = { SLUICE_DATABASE_URL: database.url };
    const first = await startTestService({ settings });
    const made = await makeSecrets(await setUp(first));
    await first.stop();

    // As nodes are restarted one after the other: those that still seal with the key before open what the others seal.
    const swapped = { SLUICE_SECRET_KEY: TEST_SECRET_KEY, SLUICE_SECRET_KEY_PREVIOUS: NEW_KEY };
    const late = await startTestService({ settings: { ...settings, ...swapped } });
    const early = await startTestService({ settings: { ...settings, ...both } });
    await expectReadable(early, made);
    await expectReadable(late, made);
    await late.stop();

    const done = await runCommand(['reseal'], { ...settings, ...both });
    expect(done).toMatchObject({ code: 0, err: '', out: expect.stringContaining(' sealed again, 0 left.') });
    await expectReadable(early, made);
    const again = await runCommand(['reseal', '--check'], { ...settings, ...both });
    expect(again.out).toStartWith('0 sealed again, 0 left.');
    await early.stop();

    const after = await startTestService({ settings: { ...settings, ...onlyNew } });
    await expectReadable(after, made);
    await after.stop();
    await database.drop();
  });
});
