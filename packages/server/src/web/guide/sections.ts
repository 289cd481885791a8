/**
 * How the pages of the guide are laid out beside each other. A page in `docs/` that no line names stands in the last
 * section, so that a new one is found without an entry here.
 */
interface SectionRule {
  readonly title: string;
  /** Pages by name in this order, or all pages of a folder. */
  readonly holds: readonly string[] | { readonly folder: string };
}

const rules: readonly SectionRule[] = [
  { title: 'Start here', holds: ['getting-started', 'concepts', 'dashboard', 'accounts', 'glossary'] },
  { title: 'Send and receive', holds: ['sending-events', 'sdk', 'webhooks-in', 'entities'] },
  { title: 'Process and deliver', holds: ['pipelines', 'conditions', 'destinations', 'verifying'] },
  { title: 'Cookbook', holds: { folder: 'cookbook' } },
  {
    title: 'Run it',
    holds: ['deploying', 'operating', 'upgrading', 'security', 'command', 'benchmarks', 'troubleshooting'],
  },
  { title: 'Reference', holds: { folder: 'reference' } },
  { title: 'Providers', holds: { folder: 'reference/providers' } },
  { title: 'Steps', holds: { folder: 'reference/steps' } },
  { title: 'Kinds of destinations', holds: { folder: 'reference/destinations' } },
];

const REST = 'More guides';

interface Placed {
  /** `reference/steps/dedupe`. */
  readonly path: string;
  readonly title: string;
}

export interface Section<Page extends Placed> {
  readonly title: string;
  readonly pages: readonly Page[];
}

export function arrange<Page extends Placed>(pages: readonly Page[]): Section<Page>[] {
  const byTitle = pages.toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
  const sections = rules.map(({ title, holds }) => ({
    title,
    pages:
      'folder' in holds
        ? byTitle.filter(({ path }) => folderOf(path) === holds.folder)
        : holds.flatMap(path => byTitle.filter(page => page.path === path)),
  }));
  const placed = new Set(sections.flatMap(section => section.pages));
  const rest = { title: REST, pages: byTitle.filter(page => !placed.has(page)) };
  return [...sections, rest].filter(section => section.pages.length > 0);
}

const folderOf = (path: string): string => path.split('/').slice(0, -1).join('/');
