/** The keys of a configuration file: names, with a number where several things of a sort have the same one. */

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * By id. The oldest of a name has it as it is; the others are `Shop #2`, `Shop #3`, in the order in which they were
 * made. A number is left out where something else is really called that.
 */
export function keysOf(rows: readonly Named[]): Map<string, string> {
  const names = new Set(rows.map(({ name }) => name));
  const taken = new Set<string>();
  const keys = new Map<string, string>();
  for (const { id, name } of rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    let key = name;
    for (let n = 2; taken.has(key) || (key !== name && names.has(key)); n++) key = `${name} #${n}`;
    taken.add(key);
    keys.set(id, key);
  }
  return keys;
}

/** Whether a key may stand for something of that name. */
export const isKeyOf = (key: string, name: string): boolean =>
  key === name || (key.startsWith(`${name} #`) && /^[1-9]\d*$/.test(key.slice(name.length + 2)));

/** What has no number comes first, so that it is made first and keeps its key. */
export function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  const [first, second] = [numbered(a), numbered(b)];
  if (first.name !== second.name) return first.name < second.name ? -1 : 1;
  return first.n - second.n;
}

function numbered(key: string): { readonly name: string; readonly n: number } {
  const [, name = key, n = '1'] = /^(.*) #([1-9]\d{0,8})$/s.exec(key) ?? [];
  return { name, n: Number(n) };
}
