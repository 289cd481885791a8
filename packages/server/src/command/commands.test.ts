import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { recordTerminal } from '../../test/support/terminal.ts';
import { readSettings } from '../settings.ts';
import { commonOptions, UsageError } from './command.ts';
import { createCommands } from './commands.ts';
import { helpOf, helpText } from './help.ts';
import { readArguments } from './read-arguments.ts';

const notRun = (): never => {
  throw new Error('It should not be run.');
};
const commands = createCommands({
  startService: notRun,
  resealStorage: notRun,
  openApiDocument: async () => ({}),
});
const settings = readSettings({ SLUICE_URL: 'https://sluice.example.com' });
const find = (name: string) => commands.find(command => command.name === name) ?? commands[0];

test('every command has a name of its own, says what each exit code means, and shows its options', () => {
  expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length);
  for (const command of commands) {
    expect(helpText(commands)).toContain(command.summary);
    expect(Object.keys(command.exits)).toContain('0');
    const help = helpOf(command);
    for (const { name } of [...(command.options ?? []), ...commonOptions])
      expect(help).toContain(`--${name}`);
    for (const example of command.examples ?? []) {
      expect(example.startsWith(command.name)).toBe(true);
      for (const [, option = ''] of example.matchAll(/ --([a-z-]+)/g))
        expect([...(command.options ?? []), ...commonOptions].map(({ name }) => name)).toContain(option);
    }
  }
});

describe('what is typed after a word', () => {
  const read = (name: string, ...args: string[]) => readArguments(find(name) ?? notRun(), args, settings);

  test('is read by its table, with settings in place of what is left out', () => {
    const given = read('send', 'a.csv', '--type', 'x', '--typed', '--json');
    expect(given.argument).toBe('a.csv');
    expect([given.has('typed'), given.has('json'), given.has('help')]).toEqual([true, true, false]);
    expect([given.value('type'), given.value('url'), given.value('key')]).toEqual([
      'x',
      'https://sluice.example.com',
      undefined,
    ]);
    expect(read('send', '--url', 'http://other').value('url')).toBe('http://other');
  });

  test('is refused in a sentence where it does not fit', () => {
    const wrong: [string[], string][] = [
      [['backup'], 'The file is missing.'],
      [['backup', 'a', 'b'], 'It takes one file at most.'],
      [['doctor', 'a'], 'It takes no "a".'],
      [['send', '--ulr', 'x'], 'sluice send has no option --ulr.'],
      [['send', '--type'], '--type is used incorrectly.'],
      [['send', '--typed=yes'], '--typed is used incorrectly.'],
      [['send', '--format', 'xml'], '--format must be one of ndjson, csv.'],
      [['completion', 'tcsh'], 'shell must be one of bash, zsh, fish.'],
    ];
    for (const [[name = '', ...args], message] of wrong) {
      expect(() => read(name, ...args)).toThrow(new UsageError(message));
    }
  });
});

describe('completion', () => {
  async function script(shell: string): Promise<string> {
    const terminal = recordTerminal();
    const completion = find('completion') ?? notRun();
    await completion.run(readArguments(completion, [shell], settings), { settings, terminal });
    return terminal.said.join('\n');
  }

  test('names every command and option in each shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const text = await script(shell);
      for (const { name, options = [] } of commands) {
        expect(text).toContain(name);
        for (const option of options) expect(text).toContain(option.name);
      }
    }
  });

  test('in bash offers commands, their options, and what an option takes', async () => {
    const offered = (...words: string[]) => {
      const ask = `${'COMP_WORDS'}=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _sluice; echo "\${COMPREPLY[@]}"`;
      return script('bash').then(text => {
        const { stdout } = spawnSync('bash', ['-c', `${text}\n${ask}`], { encoding: 'utf8' });
        return stdout.trim().split(' ');
      });
    };
    expect(await offered('sluice', 're')).toEqual(['restore', 'reset-password', 'reseal']);
    expect(await offered('sluice', 'restore', '--f')).toEqual(['--force']);
    expect(await offered('sluice', 'send', '--format', '')).toEqual(['ndjson', 'csv']);
    expect(await offered('sluice', 'completion', '')).toEqual(['--json', '--help', 'bash', 'zsh', 'fish']);
  });
});
