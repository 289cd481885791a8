/** The slug of an organisation, by which its pages are addressed: made from its name once, and never changed. */

const LONGEST = 48;

/** `Müller & Söhne GmbH` is `muller-sohne-gmbh`. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const slug = plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'organisation' : slug;
}

/** The first of `acme`, `acme-2`, `acme-3`, … that is free. */
export function freeSlug(name: string, taken: ReadonlySet<string>): string {
  const slug = slugOf(name);
  if (!taken.has(slug)) return slug;
  let n = 2;
  while (taken.has(`${slug}-${n}`)) n++;
  return `${slug}-${n}`;
}
