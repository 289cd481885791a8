import { describe, expect, test } from 'bun:test';
import { renderMarkdown } from './markdown.ts';

const asWritten = (target: string): string => target;

describe('Markdown as HTML', () => {
  test('keeps HTML as text, and comments to itself', () => {
    const { html } = renderMarkdown(
      '<!-- from the code -->\n\n# A\n\n<script>alert(1)</script> <b>x</b>\n\n<img src=x onerror=alert(1)>',
      asWritten,
    );
    expect(html).not.toMatch(/<(script|b|img)\b/);
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toContain('from the code');
  });

  test('has links and pictures lead where they resolve to, and is plain text where that is nowhere', () => {
    const resolve = (target: string) => (target.startsWith('javascript:') ? null : `/guide/${target}`);
    const { html } = renderMarkdown(
      '[a](x) [b](javascript:alert(1)) ![c](y.svg) ![d](javascript:z)',
      resolve,
    );
    expect(html.trim()).toBe('<p><a href="/guide/x">a</a> b <img src="/guide/y.svg" alt="c" /> </p>');
  });

  test('knows its headings by the ids that links use, and its first paragraph', () => {
    const { headings, lead } = renderMarkdown(
      '# A *b* `c.d()`\n\nOne & `two`\nthree.\n\n## A <b>\n\n## A <b>\n',
      asWritten,
    );
    expect(headings).toEqual([
      { level: 1, id: 'a-b-cd', title: 'A b c.d()', text: 'One & two three.' },
      { level: 2, id: 'a-b', title: 'A <b>', text: '' },
      { level: 2, id: 'a-b-1', title: 'A <b>', text: '' },
    ]);
    expect(lead).toBe('One & two three.');
  });
});
