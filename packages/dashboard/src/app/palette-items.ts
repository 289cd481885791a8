/** What the palette offers, in the order of how well it fits what was typed. */
export interface PaletteItem {
  /** The same wherever it is offered; by it the ones picked last are known. */
  readonly key: string;
  readonly label: string;
  readonly description: string;
  /** A thing goes before a page or an action of the same name. */
  readonly isThing?: boolean;
  /** Where it leads; absent: it does something. */
  readonly to?: string;
  /** What it does is worth doing again, and so offered among the recent ones. */
  readonly isRepeatable?: boolean;
}

/** Exact name, then prefix, then the beginning of a word, then anywhere; null: not at all. */
function fitOf(label: string, typed: string): number | null {
  const name = label.toLowerCase();
  if (name === typed) return 0;
  if (name.startsWith(typed)) return 1;
  const at = name.indexOf(typed);
  if (at < 0) return null;
  return /[^a-z0-9]/.test(name.charAt(at - 1)) ? 2 : 3;
}

/** Things were found by the server, also by their ids: they stay whatever their names are. */
export function rankItems<Item extends PaletteItem>(items: readonly Item[], typed: string): Item[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return [...items];
  return items
    .flatMap((item, place) => {
      const fit = fitOf(item.label, wanted) ?? (item.isThing ? 0 : null);
      return fit === null ? [] : [{ item, rank: fit * 2 + Number(!item.isThing), place }];
    })
    .sort((a, b) => a.rank - b.rank || a.place - b.place)
    .map(({ item }) => item);
}

const MOST_RECENT = 5;

/** The one picked now first, each once. */
export const withPicked = <Item extends { readonly key: string }>(
  recent: readonly Item[],
  picked: Item,
): Item[] => [picked, ...recent.filter(({ key }) => key !== picked.key)].slice(0, MOST_RECENT);
