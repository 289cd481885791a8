import { posix } from 'node:path';
import { type Heading, renderMarkdown } from '../../runtime/markdown.ts';
import type { GuideFiles } from './files.ts';
import { arrange, type Section } from './sections.ts';

/** The pages of the guide, made of whatever Markdown there is. */
export const GUIDE = '/docs/guide/';

export interface GuidePage {
  /** `reference/steps/dedupe`, below the address of the guide. */
  readonly path: string;
  readonly title: string;
  readonly lead: string;
  readonly html: string;
  readonly headings: readonly Heading[];
}

export interface Library {
  readonly sections: readonly Section<GuidePage>[];
  find(path: string): GuidePage | undefined;
  /** A picture that some page may show. */
  picture(path: string): Promise<Uint8Array<ArrayBuffer> | null>;
}

/** By the ending of its name. */
export const pictureTypes: ReadonlyMap<string, string> = new Map([
  ['svg', 'image/svg+xml'],
  ['png', 'image/png'],
]);

export const endingOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** Read and rendered once, when somebody first asks. */
export function createLibrary(files: GuideFiles): () => Promise<Library> {
  let library: Promise<Library> | null = null;
  return () => {
    library ??= readLibrary(files);
    return library;
  };
}

async function readLibrary(files: GuideFiles): Promise<Library> {
  const names = new Set((await files.list()).map(name => name.replaceAll('\\', '/')));
  const pages: GuidePage[] = [];
  for (const name of names) {
    if (!name.endsWith('.md')) continue;
    const text = new TextDecoder().decode((await files.read(name)) ?? undefined);
    const { html, headings, lead } = renderMarkdown(text, target => resolveLink(name, target, names));
    const path = name.slice(0, -'.md'.length);
    pages.push({ path, title: headings[0]?.title ?? path, lead, html, headings });
  }
  const byPath = new Map(pages.map(page => [page.path, page]));
  return {
    sections: arrange(pages),
    find: path => byPath.get(path),
    picture: async path => (pictureTypes.has(endingOf(path)) && names.has(path) ? files.read(path) : null),
  };
}

/** Where a link of this file leads in the guide. Files of the source that are no guides lead nowhere. */
function resolveLink(from: string, target: string, names: ReadonlySet<string>): string | null {
  if (/^https:\/\//.test(target) || target.startsWith('#')) return target;
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return null;
  const [file = '', anchor] = target.split('#');
  const name = posix.join(posix.dirname(from), file);
  if (!names.has(name)) return null;
  return `${GUIDE}${name.replace(/\.md$/, '')}${anchor === undefined ? '' : `#${anchor}`}`;
}
