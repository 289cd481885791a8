import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fenced blocks of our Markdown files, which tests run as they are written. */
export interface MarkdownBlock {
  /** The heading that it stands under. */
  readonly heading: string;
  /** The first word after the fence: `sh`, `json`. */
  readonly language: string;
  /** What else stands there: `pipeline` of a cookbook's JSON. */
  readonly about: string;
  readonly text: string;
}

export const workspace = join(import.meta.dir, '../../../..');

export const readText = (file: string): string => readFileSync(join(workspace, file), 'utf8');

export function blocksIn(file: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let heading = '';
  for (const match of readText(file).matchAll(/^(?:#+ (.+)|```(\S*) ?(.*)\n([\s\S]*?)^```)$/gm)) {
    const [, title, language = '', about = '', text = ''] = match;
    if (title !== undefined) heading = title;
    else blocks.push({ heading, language, about, text });
  }
  return blocks;
}

/** The commands of a page, block by block. */
export const shellBlocks = (file: string): string[] =>
  blocksIn(file)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text);
