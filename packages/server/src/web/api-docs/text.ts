import { html, raw } from 'hono/html';

/** Whatever `html` makes: text that is escaped already. */
export type Html = ReturnType<typeof html>;

/** Paragraphs apart by an empty line, with words between backticks as code. */
export const prose = (text: string): Html[] =>
  text.split('\n\n').map(paragraph => html`<p>${inline(paragraph)}</p>`);

export const inline = (text: string): Html[] =>
  text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

/** A block of code that can be reached and scrolled by keyboard. */
export const code = (title: string, content: Html): Html =>
  html`<figure><figcaption>${title}</figcaption><pre tabindex="0">${content}</pre></figure>`;

/** JSON laid out and coloured: keys, texts, and all other values. */
export function json(value: unknown): Html {
  const parts = JSON.stringify(value, null, 2).split(
    /("(?:[^"\\]|\\.)*"(?:\s*:)?|\b(?:true|false|null|-?\d[\d.eE+-]*)\b)/,
  );
  return html`${parts.map((part, i) => (i % 2 === 0 ? part : html`<span class="${raw(kindOf(part))}">${part}</span>`))}`;
}

const kindOf = (token: string): string => (token.endsWith(':') ? 'k' : token.startsWith('"') ? 's' : 'v');
