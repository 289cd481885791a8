import type { GuidePage, Library } from './library.ts';

/** Finding pages of the guide by their titles and headings. */
export interface GuideHit {
  readonly page: GuidePage;
  /** The headings below the title that hold a word of the query. */
  readonly headings: GuidePage['headings'];
}

const MOST_FOUND = 40;

/** Pages that hold every word somewhere in their headings, those with more of them in the title first. */
export function searchGuide({ sections }: Library, query: string): GuideHit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const holds = (text: string, word: string) => text.toLowerCase().includes(word);
  const found = sections
    .flatMap(({ pages }) => pages)
    .filter(({ path, headings }) =>
      words.every(word => holds(path, word) || headings.some(({ title }) => holds(title, word))),
    )
    .map(page => ({
      page,
      inTitle: words.filter(word => holds(page.title, word)).length,
      headings: page.headings.slice(1).filter(({ title }) => words.some(word => holds(title, word))),
    }));
  return found.toSorted((a, b) => b.inTitle - a.inTitle).slice(0, MOST_FOUND);
}
