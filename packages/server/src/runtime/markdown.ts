/** Markdown as HTML, by the parser that comes with Bun. */

export interface Heading {
  readonly level: number;
  /** What `#…` leads to. */
  readonly id: string;
  readonly title: string;
  /** What stands below it, up to the next one, without markup. */
  readonly text: string;
}

interface RenderedMarkdown {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** The first paragraph, without its markup. */
  readonly lead: string;
}

/** What Markdown is written with. Anything else in the result would be a fault, and is taken out. */
const known = new Set(
  'a blockquote br code del div em h1 h2 h3 h4 h5 h6 hr img input li ol p pre strong table tbody td th thead tr ul'.split(
    ' ',
  ),
);

/**
 * HTML in the text stays text. `resolve` says where a link or picture leads from here; where that is nowhere (null), what
 * is written there stays without a link.
 */
export function renderMarkdown(text: string, resolve: (target: string) => string | null): RenderedMarkdown {
  const written = Bun.markdown.html(text.replaceAll(/^<!--[\s\S]*?-->\n/gm, ''), {
    headings: { ids: true },
    noHtmlBlocks: true,
    noHtmlSpans: true,
  });
  const html = new HTMLRewriter()
    .on('*', {
      element(element) {
        if (!known.has(element.tagName)) element.remove();
      },
    })
    .on('a', {
      element(element) {
        const target = resolve(element.getAttribute('href') ?? '');
        if (target === null) element.removeAndKeepContent();
        else element.setAttribute('href', target);
        if (target?.startsWith('https:')) element.setAttribute('rel', 'noreferrer');
      },
    })
    .on('img', {
      element(element) {
        const target = resolve(element.getAttribute('src') ?? '');
        if (target === null) element.remove();
        else element.setAttribute('src', target);
      },
    })
    // Both may be wider than a phone, and must then be scrolled by keys too.
    .on('pre', { element: element => void element.setAttribute('tabindex', '0') })
    .on('table', {
      element(element) {
        element.before('<div class="table" tabindex="0">', { html: true });
        element.after('</div>', { html: true });
      },
    })
    .transform(written);
  return { html, headings: headingsIn(html), lead: plain(/<p>(.*?)<\/p>/s.exec(html)?.[1] ?? '') };
}

function headingsIn(html: string): Heading[] {
  const found = [...html.matchAll(/<h([1-6]) id="([^"]*)">(.*?)<\/h\1>/gs)];
  return found.map(({ 0: whole, 1: level, 2: id = '', 3: inside = '', index }, n) => ({
    level: Number(level),
    id,
    title: plain(inside),
    // Cells and lines that stand beside each other must not become one word.
    text: plain(
      html
        .slice(index + whole.length, found[n + 1]?.index)
        .replaceAll(/<\/(?:p|li|t[dhr]|pre|blockquote)>/g, ' $&'),
    ),
  }));
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

const plain = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole)
    .replaceAll(/\s+/g, ' ')
    .trim();
