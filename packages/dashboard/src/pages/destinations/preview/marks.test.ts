import { describe, expect, test } from 'bun:test';
import { type Marked, readDiscord, readSlack, readTelegram } from './marks.ts';

/** Marks in brackets after their name, so that a text and what is read into it stand on one line. */
const shown = (text: readonly Marked[]): string =>
  text
    .map(part => {
      if (typeof part === 'string') return part;
      return `${part.mark}${'href' in part ? `<${part.href}>` : ''}(${shown(part.inner)})`;
    })
    .join('');

describe('Slack', () => {
  const cases: [string, string][] = [
    ['*bold* _it_ ~gone~ `a*b*`', 'bold(bold) italic(it) strike(gone) code(a*b*)'],
    ['2*3*4 snake_case_name', '2*3*4 snake_case_name'],
    [
      '<https://a.test/x|Open> <https://b.test>',
      'link<https://a.test/x>(Open) link<https://b.test>(https://b.test)',
    ],
    ['&lt;!channel&gt; &amp;amp;', '<!channel> &amp;'],
    ['*a _b_*', 'bold(a italic(b))'],
    ['&gt; said\nmore', 'quote(said)\nmore'],
    ['```x\n*y*```', 'block(x\n*y*)'],
    ['<javascript:alert(1)|x>', '<javascript:alert(1)|x>'],
  ];
  test.each(cases)('%j', (text, read) => expect(shown(readSlack(text, true))).toBe(read));

  test('makes links of addresses, but not in what is verbatim', () => {
    expect(shown(readSlack('see https://a.test', true))).toBe('see https://a.test');
    expect(shown(readSlack('see https://a.test', false))).toBe('see link<https://a.test>(https://a.test)');
  });
});

describe('Discord', () => {
  const cases: [string, string][] = [
    [
      '**bold** *it* __under__ ~~gone~~ ||psst||',
      'bold(bold) italic(it) underline(under) strike(gone) spoiler(psst)',
    ],
    ['\\*\\*not\\*\\* \\[x\\]\\(https\\://evil.test\\)', '**not** [x](https://evil.test)'],
    [
      '[Open](https://a.test/x) [it](<https://b.test>)',
      'link<https://a.test/x>(Open) link<https://b.test>(it)',
    ],
    ['# Title\n> said', 'heading(Title)quote(said)'],
    ['[x](javascript:alert(1))', '[x](javascript:alert(1))'],
  ];
  test.each(cases)('%j', (text, read) => expect(shown(readDiscord(text))).toBe(read));
});

describe('Telegram', () => {
  test('reads its HTML, and nothing that is not its own', () => {
    const text =
      '<b>a &lt;b&gt;</b> <a href="https://a.test/?x=1&amp;y">Open</a> <img src=x> <script>1</script>';
    expect(shown(readTelegram(text, true))).toBe(
      'bold(a <b>) link<https://a.test/?x=1&y>(Open) <img src=x> <script>1</script>',
    );
  });

  test('reads no marks where none are sent', () => {
    expect(shown(readTelegram('<b>*a*</b>', false))).toBe('<b>*a*</b>');
  });
});

test('marks without end are read in no time to speak of', () => {
  const began = performance.now();
  for (const text of ['*'.repeat(4_096), '**a'.repeat(1_300), '<b>'.repeat(1_300), '[a]('.repeat(1_000)]) {
    readSlack(text, false);
    readDiscord(text);
    readTelegram(text, true);
  }
  expect(performance.now() - began).toBeLessThan(10_000);
});
