import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

/** What is run in a process of its own here, so that it can be killed. */
const STARTS_A_SERVER = `
  import { startProcess } from ${JSON.stringify(join(import.meta.dir, '../support/process.ts'))};
  const { pid } = await startProcess({ directory: process.argv[1] });
  console.log(pid);
  await new Promise(() => {});
`;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a server that a test started ends with the test, also where that is killed', async () => {
  const directory = temporaryDirectory();
  const starter = Bun.spawn([process.execPath, '-e', STARTS_A_SERVER, directory], { stdout: 'pipe' });
  let pid = 0;
  try {
    const { value } = await starter.stdout.getReader().read();
    pid = Number(new TextDecoder().decode(value));
    expect(isRunning(pid)).toBe(true);
    starter.kill('SIGKILL');
    await starter.exited;
    await until(() => !isRunning(pid), 'The server outlives whoever started it.');
  } finally {
    starter.kill('SIGKILL');
    if (pid > 0 && isRunning(pid)) process.kill(pid, 'SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
});
