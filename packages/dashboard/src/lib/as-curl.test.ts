import { expect, test } from 'bun:test';
import { asCurl } from './as-curl.ts';

test('a shell sends exactly what the command says, quotes and dollars and all', async () => {
  const body = `{"note":"it's $HOME \`id\` \\\\ \\"x\\"","n":9007199254740993}`;
  const command = asCurl({ method: 'POST', url: 'http://x/?a=1&b=2', headers: { 'X-A': "o'b" }, body });
  // The shell prints its words in place of curl.
  const words = Bun.spawn(['sh', '-c', `curl() { printf '%s\\n' "$@"; }; ${command}`]);
  expect((await new Response(words.stdout).text()).trimEnd().split('\n')).toEqual([
    '-X',
    'POST',
    'http://x/?a=1&b=2',
    '-H',
    "X-A: o'b",
    '--data-raw',
    body,
  ]);
});
