import { describe, expect, test } from 'bun:test';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { runCommand } from '../support/command.ts';
import { openBrowser } from '../support/dashboard.ts';
import { newFolder } from '../support/folder.ts';
import { refusedStart, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

describe('sluice serve', () => {
  test('prints where to go next, and a set-up code that works once', async () => {
    const home = newFolder();
    const server = await startProcess({ directory: home });
    await until(() => server.output().includes('one-time code'), 'no code is named');
    expect(server.output()).toContain(`Reference  ${server.url}/docs\n`);
    expect(server.output()).toContain(`Dashboard  ${server.url}/\n`);
    const code = /one-time code: (\S+)/.exec(server.output())?.[1] ?? '';
    const setup = { code, organisation: 'Acme', email: 'ada@example.com', password: 'long enough' };
    expect((await openBrowser(server.url).post('/setup', setup)).status).toBeLessThan(300);
    expect((await fetch(`${server.url}/docs`)).status).toBe(200);
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);

    const again = await startProcess({ directory: home });
    await until(() => again.output().includes('/docs'), 'the reference is not named');
    expect(again.output()).not.toContain('one-time code');
    again.kill('SIGINT');
    expect(await again.ended).toBe(0);
  });

  test('started by npm, stops when npm is told to', async () => {
    const npm = Bun.spawn(['npm', 'start'], {
      cwd: join(import.meta.dir, '../../../..'),
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        SLUICE_PORT: '0',
        SLUICE_HOST: '127.0.0.1',
        SLUICE_DATA_DIR: newFolder(),
      },
      stdout: 'pipe',
      stderr: 'ignore',
    });
    let output = '';
    for await (const chunk of npm.stdout.pipeThrough(new TextDecoderStream())) {
      // Signalled once, as soon as it is ready; then listened to until everything that holds the pipe has ended.
      if (!output.includes('/docs') && (output + chunk).includes('/docs')) npm.kill('SIGTERM');
      output += chunk;
    }
    expect(output).toContain('Stopping');
    expect(await npm.exited).toBe(0);
  });

  test('takes the same signal twice for once, as npm and a terminal send it', async () => {
    const server = await startProcess({ directory: newFolder() });
    server.kill('SIGINT');
    server.kill('SIGINT');
    expect(await server.ended).toBe(0);
  });

  test('ends with 0 soon though a sender never finishes its request', async () => {
    const server = await startProcess({ directory: newFolder() });
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      'POST /dashboard/api/session HTTP/1.1\r\nHost: x\r\nX-Sluice-CSRF: 1\r\nContent-Length: 100\r\n\r\n{',
    );
    await until(() => socket.bytesWritten > 0, 'nothing was sent');
    const asked = performance.now();
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(performance.now() - asked).toBeLessThan(25_000);
    socket.destroy();
  });

  const oneLine: [string, Record<string, string>, string][] = [
    ['a bad setting', { SLUICE_PORT: 'eighty' }, 'SLUICE_PORT must be a whole number from 0 to 65535.\n'],
    ['a misspelt setting', { SLUICE_HSOT: 'x' }, 'SLUICE_HSOT is not a setting of Sluice. Is it misspelt?\n'],
  ];
  for (const [what, settings, line] of oneLine) {
    test(`stops at ${what} with one line that names it`, async () => {
      const refused = await refusedStart({ directory: newFolder(), settings });
      expect({ end: refused.end, output: refused.output }).toEqual({ end: 1, output: line });
    });
  }

  test('says in one line that its port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await until(() => taken.listening, 'no port');
    const { port } = taken.address() as { port: number };
    const refused = await refusedStart({ directory: newFolder(), settings: { SLUICE_PORT: String(port) } });
    expect(refused.end).toBe(1);
    expect(refused.output).toBe(
      `Port ${port} is in use. Stop what is listening there, or set another with SLUICE_PORT.\n`,
    );
    taken.close();
  });

  test('says in one line that its secret key is another one', async () => {
    const home = newFolder();
    const first = await startProcess({ directory: home });
    first.kill('SIGTERM');
    await first.ended;
    const settings = { SLUICE_SECRET_KEY: 'another key of 32 characters or more' };
    const refused = await refusedStart({ directory: home, settings });
    expect(refused.end).toBe(1);
    expect(refused.output).toMatch(/^The secret key is not the one .*\n$/);
  });
});

describe('sluice', () => {
  test('alone, or asked for help, shows its commands', async () => {
    for (const args of [[], ['help'], ['--help']]) {
      const { code, out } = await runCommand(args);
      expect(code).toBe(0);
      for (const word of ['serve', 'backup <file>', 'doctor', 'reset-password <email>'])
        expect(out).toContain(word);
    }
  });

  test('with a word that it does not know says so and fails', async () => {
    expect(await runCommand(['sevre'])).toEqual({
      code: 64,
      out: '',
      err: 'There is no command "sevre". Try: sluice help\n',
    });
  });
});
