import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { UsageError } from '../../src/command/command.ts';
import { readArguments } from '../../src/command/read-arguments.ts';
import { tail } from '../../src/command/tail.ts';
import { readSettings } from '../../src/settings.ts';
import { dataOf, PASSWORD } from '../support/dashboard.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { newFolder } from '../support/folder.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService } from '../support/service.ts';
import { recordTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
  const inbox = await flow.destination({ kind: 'inbox', name: 'Inbox', config: {} });
  await flow.routeTo({ id: inbox.id });
});
afterAll(() => flow.stop());

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function begin(
  args: readonly string[],
  environment: Record<string, string>,
  answers: readonly string[] = [],
) {
  const terminal = recordTerminal({ answers });
  const settings = readSettings(environment);
  const exit = tail.run(readArguments(tail, args, settings), { settings, terminal });
  ends.push(async () => {
    terminal.stop();
    await exit.catch(() => undefined);
  });
  return { terminal, exit };
}

interface Row {
  readonly id: string;
  readonly type: string;
  readonly state: string;
}

/** Sends until the first is shown: what comes before the tail has begun is not of it. */
async function follows(terminal: { said: string[] }, type: string): Promise<Row[]> {
  const rows = () => terminal.said.map(line => JSON.parse(line) as Row);
  const id = await flow.send({}, type);
  await until(
    () => rows().some(row => row.id === id && row.state === 'processed'),
    'The event should be shown.',
  );
  return rows();
}

const here = () => ({ SLUICE_DATA_DIR: flow.service.directory });

describe('sluice tail', () => {
  test('reads through a socket that is for its owner alone', async () => {
    const socket = join(flow.service.directory, 'sluice.sock');
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(socket).isSocket()).toBe(true);
    const { terminal, exit } = begin(['--json'], here());
    const rows = await follows(terminal, 'order.created');
    expect(rows.at(-1)).toMatchObject({ type: 'order.created', state: 'processed' });
    terminal.stop();
    expect(await exit).toBe(0);
  });

  test('shows what the filters let through, and a line for people', async () => {
    const { terminal } = begin(['--type', 'wanted', '--json'], here());
    await flow.send({}, 'unwanted');
    const rows = await follows(terminal, 'wanted');
    expect([...new Set(rows.map(({ type }) => type))]).toEqual(['wanted']);

    const people = begin(['--type', 'wanted'], here()).terminal;
    const id = await flow.send({}, 'wanted');
    await until(() => people.said.some(line => line.includes(id)), 'It should be shown.');
    expect(people.said.find(line => line.includes(id))).toMatch(
      /^\d\d:\d\d:\d\d {2}(accepted|processed) +evt_\w{26} {2}wanted/,
    );
  });

  test('from elsewhere logs in as a person, from the environment or by asking', async () => {
    const known = { SLUICE_EMAIL: 'owner@example.com', SLUICE_PASSWORD: PASSWORD };
    const { terminal } = begin(['--url', flow.service.url, '--json'], known);
    await follows(terminal, 'remote.one');
    const asked = begin(['--url', flow.service.url, '--json'], {}, ['owner@example.com', PASSWORD]).terminal;
    await follows(asked, 'remote.two');
  });

  test('a wrong password is refused, and nobody at all is not reached', async () => {
    const wrong = begin(['--url', flow.service.url], {}, ['owner@example.com', 'not the password']);
    expect(await wrong.exit.catch((error: Error) => error.message)).toContain('password');
    const gone = startReceiver();
    await gone.stop();
    expect(await begin(['--url', gone.url], {}, ['a@example.com', 'some password']).exit).toBe(2);
    const nowhere = begin([], { SLUICE_DATA_DIR: newFolder() });
    expect(await nowhere.exit.catch((error: unknown) => error)).toBeInstanceOf(UsageError);
  });

  test('takes no API key', async () => {
    const { secret } = dataOf<{ secret: string }>(await flow.browser.post('/keys', { name: 'tail' }));
    const response = await fetch(`${flow.service.url}/dashboard/api/live/events`, {
      headers: { authorization: `Bearer ${secret}`, accept: 'text/event-stream' },
    });
    expect(response.status).toBe(401);
    expect(() => readArguments(tail, ['--key', secret], readSettings({}))).toThrow('has no option --key');
  });

  test('a bad filter is refused with the sentence of the server', async () => {
    const { exit, terminal } = begin(['--entity', 'nonsense'], here());
    expect(await exit).toBe(1);
    expect(terminal.complaints.join()).toContain('kind:external_id');
  });

  test('asks which organisation, where there are several', async () => {
    dataOf(await flow.browser.post('/organisations', { name: 'Second' }));
    const { exit, terminal } = begin([], here());
    expect(await exit).toBe(1);
    expect(terminal.complaints.join()).toContain('Second');
    const acme = begin(['--organisation', 'Acme', '--json'], here()).terminal;
    await follows(acme, 'of.acme');
  });
});

test('a socket left behind is replaced, and none stays after a stop', async () => {
  const directory = newFolder();
  const socket = join(directory, 'sluice.sock');
  const stale = createServer();
  await new Promise<void>(resolve => stale.listen(socket, resolve));
  const service = await startTestService({ directory });
  const answer = await fetch('http://localhost/nothing', { unix: socket });
  expect(answer.status).toBe(404);
  await service.stop();
  expect(existsSync(socket)).toBe(false);
  stale.close();
});
