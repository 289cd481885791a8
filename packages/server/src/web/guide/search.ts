import type { GuidePage, Library } from './library.ts';

/** Finding pages of the guide by what is written in them. */
export interface GuideHit {
  readonly page: GuidePage;
  /** The best places on it, by the heading that they stand under. */
  readonly places: readonly { readonly heading: GuidePage['headings'][number]; readonly excerpt: string }[];
}

const MOST_FOUND = 40;
const MOST_PLACES = 3;

const countIn = (text: string, words: readonly string[]): number => {
  const lower = text.toLowerCase();
  return words.filter(word => lower.includes(word)).length;
};

/** Pages that hold every word somewhere, those with more of them in the title first, then in a heading, then together. */
export function searchGuide({ sections }: Library, query: string): GuideHit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = sections
    .flatMap(({ pages }) => pages)
    .filter(({ path, headings }) =>
      words.every(
        word =>
          countIn(path, [word]) > 0 ||
          headings.some(({ title, text }) => countIn(`${title} ${text}`, [word]) > 0),
      ),
    )
    .map(page => ({ page, inTitle: countIn(page.title, words), ranked: rankedPlaces(page, words) }))
    .toSorted((a, b) => b.inTitle - a.inTitle || (b.ranked[0]?.rank ?? 0) - (a.ranked[0]?.rank ?? 0));
  return found.slice(0, MOST_FOUND).map(({ page, ranked }) => ({
    page,
    places: ranked
      .slice(0, MOST_PLACES)
      .map(({ heading }) => ({ heading, excerpt: excerptOf(heading.text, words) })),
  }));
}

function rankedPlaces({ headings }: GuidePage, words: readonly string[]) {
  return headings
    .map((heading, place) => ({
      heading,
      // A page's own title is there already: what stands below it counts as text.
      rank:
        (place === 0 ? 0 : 2 * countIn(heading.title, words)) + countIn(heading.text, words) / words.length,
    }))
    .filter(({ rank }) => rank >= 1)
    .toSorted((a, b) => b.rank - a.rank);
}

const BEFORE = 50;
const LONGEST_EXCERPT = 160;

/** Some words around the first that was looked for, or the beginning. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map(word => lower.indexOf(word)).filter(at => at >= 0);
  const from = Math.max(0, Math.min(...(places.length === 0 ? [0] : places)) - BEFORE);
  const begin = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  if (text.length - begin <= LONGEST_EXCERPT) return `${begin === 0 ? '' : '… '}${text.slice(begin)}`;
  const end = text.lastIndexOf(' ', begin + LONGEST_EXCERPT);
  return `${begin === 0 ? '' : '… '}${text.slice(begin, end > begin ? end : begin + LONGEST_EXCERPT)} …`;
}
