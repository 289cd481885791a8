/** Text with marks in it, as a chat reads it: bold, links, code. Whatever it holds, it becomes elements and never markup. */
export type Marked =
  | string
  | { readonly mark: MarkName; readonly inner: readonly Marked[] }
  | { readonly mark: 'link'; readonly href: string; readonly inner: readonly Marked[] };

export type MarkName =
  | 'bold'
  | 'italic'
  | 'underline'
  | 'strike'
  | 'code'
  | 'block'
  | 'quote'
  | 'spoiler'
  | 'heading';

/** What begins where the text stands: how much of it that takes, and what it is. */
type Rule = (
  text: string,
  at: number,
  depth: number,
) => { readonly end: number; readonly marked: Marked } | null;

/** Marks within marks go no deeper. */
const MOST_DEPTH = 8;

function readMarks(text: string, rules: readonly Rule[], depth = 0): Marked[] {
  const read: Marked[] = [];
  let plain = '';
  for (let at = 0; at < text.length; ) {
    const found = depth < MOST_DEPTH ? firstOf(rules, text, at, depth) : null;
    if (found === null) {
      plain += text[at];
      at++;
      continue;
    }
    if (typeof found.marked === 'string') plain += found.marked;
    else {
      if (plain !== '') read.push(plain);
      plain = '';
      read.push(found.marked);
    }
    at = found.end;
  }
  if (plain !== '') read.push(plain);
  return read;
}

function firstOf(rules: readonly Rule[], text: string, at: number, depth: number): ReturnType<Rule> {
  for (const rule of rules) {
    const found = rule(text, at, depth);
    if (found !== null) return found;
  }
  return null;
}

/** A rule by a pattern, which is sticky: it matches where the text stands or not at all. */
const rule =
  (pattern: RegExp, marked: (match: readonly string[], depth: number) => Marked | null): Rule =>
  (text, at, depth) => {
    const sticky = new RegExp(pattern, 'ysu');
    sticky.lastIndex = at;
    const match = sticky.exec(text);
    const made =
      match === null
        ? null
        : marked(
            [...match].map(part => part ?? ''),
            depth,
          );
    return match === null || made === null ? null : { end: sticky.lastIndex, marked: made };
  };

const leaf = (pattern: RegExp, mark: MarkName): Rule =>
  rule(pattern, ([, inner = '']) => ({ mark, inner: [inner] }));

const around = (pattern: RegExp, mark: MarkName, rules: () => readonly Rule[]): Rule =>
  rule(pattern, ([, inner = ''], depth) => ({ mark, inner: readMarks(inner, rules(), depth + 1) }));

const link = (href: string, inner: readonly Marked[]): Marked | null =>
  /^https?:\/\/\S+$/i.test(href) ? { mark: 'link', href, inner } : null;

const bareLink = rule(/https?:\/\/[^\s<>"]+/, ([href = '']) => link(href, [href]));

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const entity = rule(/&(amp|lt|gt|quot|#39);/, ([, name = '']) => ENTITIES[name] ?? null);

// --- Slack's mrkdwn: marks stand at the edges of words ------------------------------------------------------

const slackRules = (): readonly Rule[] => slack;
const slack: readonly Rule[] = [
  leaf(/```\n?(.+?)```/, 'block'),
  leaf(/`([^`\n]+)`/, 'code'),
  rule(/<(https?:\/\/[^|>\s]+)(?:\|([^>]*))?>/, ([, href = '', words = '']) => link(href, [words || href])),
  around(/(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])/, 'bold', slackRules),
  around(/(?<!\w)_(?=\S)([^_\n]+?)(?<=\S)_(?!\w)/, 'italic', slackRules),
  around(/(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])/, 'strike', slackRules),
  around(/(?<=^|\n)&gt; ?([^\n]*)/, 'quote', slackRules),
  entity,
];

/** Where nothing is verbatim, an address is a link by itself. */
export const readSlack = (text: string, isVerbatim: boolean): Marked[] =>
  readMarks(text, isVerbatim ? slack : [...slack, bareLink]);

// --- Discord's Markdown --------------------------------------------------------------------------------------

const discordRules = (): readonly Rule[] => discord;
const discord: readonly Rule[] = [
  rule(/\\([\\*_~`|>#[\]()<:@!-])/, ([, character = '']) => character),
  leaf(/```(?:\w+\n)?\n?(.+?)```/, 'block'),
  leaf(/`([^`\n]+)`/, 'code'),
  rule(/\[([^\]\n]+)\]\(<?(https?:\/\/[^\s<>]+?)>?\)/, ([, words = '', href = ''], depth) =>
    link(href, readMarks(words, discordRules(), depth + 1)),
  ),
  rule(/<(https?:\/\/[^\s<>]+)>/, ([, href = '']) => link(href, [href])),
  around(/\*\*(.+?)\*\*/, 'bold', discordRules),
  around(/__(.+?)__/, 'underline', discordRules),
  around(/~~(.+?)~~/, 'strike', discordRules),
  around(/\|\|(.+?)\|\|/, 'spoiler', discordRules),
  around(/\*(?=\S)([^*\n]+?)\*/, 'italic', discordRules),
  around(/(?<!\w)_(?=\S)([^_\n]+?)_(?!\w)/, 'italic', discordRules),
  around(/(?<=^|\n)#{1,3} ([^\n]+)\n?/, 'heading', discordRules),
  around(/(?<=^|\n)> ([^\n]*)/, 'quote', discordRules),
  bareLink,
];

export const readDiscord = (text: string): Marked[] => readMarks(text, discord);

// --- Telegram's HTML -----------------------------------------------------------------------------------------

const tags: Readonly<Record<string, MarkName>> = {
  b: 'bold',
  i: 'italic',
  u: 'underline',
  s: 'strike',
  code: 'code',
  pre: 'block',
};

const telegram: readonly Rule[] = [
  rule(/<(b|i|u|s|code|pre)>(.*?)<\/\1>/, ([, name = '', inner = ''], depth) => {
    const mark = tags[name];
    return mark === undefined ? null : { mark, inner: readMarks(inner, telegram, depth + 1) };
  }),
  rule(/<a href="([^"]*)">(.*?)<\/a>/, ([, href = '', inner = ''], depth) =>
    link(readMarks(href, [entity]).join(''), readMarks(inner, telegram, depth + 1)),
  ),
  entity,
  bareLink,
];

/** Without a parse mode only addresses mean something. */
export const readTelegram = (text: string, isHtml: boolean): Marked[] =>
  readMarks(text, isHtml ? telegram : [bareLink]);
