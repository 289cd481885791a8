import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { spellControls } from './control-characters.ts';

function inTerminal(code: string, input = '') {
  const script = `import { createSystemTerminal } from ${JSON.stringify(join(import.meta.dir, 'terminal.ts'))};
    const terminal = createSystemTerminal();
    ${code}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { input, encoding: 'utf8' });
  return { stdout, stderr };
}

test('each question gets the next line of what is piped in, and one too many is told', () => {
  const { stdout } = inTerminal(
    `console.log(await terminal.ask('Email: '), await terminal.askSecret('Password: '));
    console.log(await terminal.ask('Code: ').catch(error => error.message));`,
    'mail\npw\n',
  );
  expect(stdout).toBe('mail pw\nNo password was given.\n');
});

test('control characters are spelt out, but for lines and our own colours', () => {
  const { stdout, stderr } = inTerminal(
    String.raw`terminal.say('\u001b[32mgreen\u001b[39m\n\u001b]0;title\u0007 \u009b2J');
    terminal.complain('\u001b[2J\r');
    terminal.say(JSON.stringify({ type: '\u001b\u009b' }));`,
  );
  const lines = stdout.split('\n');
  expect(lines.slice(0, 2)).toEqual(['\u001b[32mgreen\u001b[39m', String.raw`\u001b]0;title\u0007 \u009b2J`]);
  expect(JSON.parse(lines[2] ?? '')).toEqual({ type: '\u001b\u009b' });
  expect(stderr).toBe(`${String.raw`\u001b[2J\u000d`}\n`);
});

test('what strangers have written stays on its line', () => {
  expect(spellControls('a\nb\u001b[31m')).toBe(String.raw`a\u000ab\u001b[31m`);
});
