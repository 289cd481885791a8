/** Where a self-contained executable keeps its files. */
const EMBEDDED = '/$bunfs/';
const SCRIPTS = `${EMBEDDED}root/`;

/**
 * The script of a thread, for whoever starts it. In a self-contained executable all modules are one file, so that an
 * address beside a module means nothing: there `scripts/binary.mjs` has put the scripts side by side, under their names.
 */
export const threadScript = ({ href }: URL): string =>
  href.includes(EMBEDDED) ? SCRIPTS + href.slice(href.lastIndexOf('/') + 1) : href;

/** Whether a module's own address is inside such an executable. */
export const isEmbedded = (path: string): boolean => path.includes(EMBEDDED);
