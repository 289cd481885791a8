import { html, raw } from 'hono/html';
import type { Html } from '../api-docs/text.ts';
import { GUIDE, type GuidePage, type Library } from './library.ts';
import type { GuideHit } from './search.ts';
import { GUIDE_STYLE } from './style.ts';

/**
 * The pages of the guide as documents that need nothing else: no script, no font, no other host. On a phone the list of
 * pages is a popover behind a button; on wider screens the style sheet shows it as a plain part of the page.
 */

/** These are long: they are folded up unless one of them is being read. */
const FOLDED = /^(Providers|Steps|Kinds of destinations|Reference)$/;

function documentOf(
  library: Library,
  title: string,
  here: GuidePage | null,
  query: string,
  main: Html,
): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Sluice</title>
<link rel="icon" href="data:,">
<style>${raw(GUIDE_STYLE)}</style>
</head>
<body>
<div class="page">
<nav aria-label="Guide">
<a class="brand" href="${GUIDE}">Sluice guide</a>
<form role="search" action="${GUIDE}"><input type="search" name="q" value="${query}" placeholder="Search the guide" aria-label="Search the guide"></form>
<button class="menu" type="button" popovertarget="pages">Menu</button>
<div id="pages" popover>
${library.sections.map(
  section => html`<details${raw(isOpen(section, here) ? ' open' : '')}><summary>${section.title}</summary>
<ul>${section.pages.map(page => entryOf(page, page === here))}</ul></details>`,
)}
<ul><li><a href="/docs">API reference</a></li><li><a href="/">Dashboard</a></li></ul>
</div>
</nav>
<main>
${main}
</main>
</div>
</body>
</html>
`;
}

const isOpen = (section: Library['sections'][number], here: GuidePage | null): boolean =>
  here === null || section.pages.includes(here) || !FOLDED.test(section.title);

function entryOf(page: GuidePage, isHere: boolean): Html {
  if (!isHere) return html`<li><a href="${GUIDE}${page.path}">${page.title}</a></li>`;
  const inside = page.headings.filter(({ level }) => level === 2);
  return html`<li><a href="${GUIDE}${page.path}" aria-current="page">${page.title}</a>
<ul>${inside.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></li>`;
}

export const renderGuidePage = (library: Library, page: GuidePage): Html =>
  documentOf(library, page.title, page, '', html`${raw(page.html)}`);

export function renderGuideIndex(library: Library): Html {
  const main = html`<h1>Guide</h1>
<p class="lead">Sluice receives events, stores them, passes them through your pipelines and delivers them. Everything here is served by your own Sluice and needs no internet.</p>
${library.sections.map(
  ({ title, pages }) => html`<h2>${title}</h2>
<ul class="cards">${pages.map(
    ({ path, title: name, lead }) =>
      html`<li><a href="${GUIDE}${path}">${name}</a><p>${firstSentence(lead)}</p></li>`,
  )}</ul>`,
)}`;
  return documentOf(library, 'Guide', null, '', main);
}

const LONGEST_LEAD = 160;

function firstSentence(lead: string): string {
  const sentence = /^.*?[.:](?=\s|$)/.exec(lead)?.[0].replace(/:$/, '.') ?? lead;
  return sentence.length <= LONGEST_LEAD ? sentence : `${sentence.slice(0, LONGEST_LEAD).trimEnd()}…`;
}

export function renderFound(library: Library, query: string, found: readonly GuideHit[]): Html {
  const main = html`<h1>Search</h1>
<p>${found.length === 0 ? 'No results for' : 'Results for'} “${query}”${found.length === 0 ? '.' : ':'}</p>
<ul class="found">${found.map(
    ({ page, places }) => html`<li><a href="${GUIDE}${page.path}">${page.title}</a>
${places.map(
  ({ heading, excerpt }) =>
    html`<p>${heading === page.headings[0] ? '' : html`<a href="${GUIDE}${page.path}#${heading.id}">${heading.title}</a>: `}${excerpt}</p>`,
)}</li>`,
  )}</ul>`;
  return documentOf(library, 'Search', null, query, main);
}

export function renderMissing(library: Library): Html {
  const main = html`<h1>Page not found</h1>
<p>The guide may have moved it. Search for it, or start at <a href="${GUIDE}">the overview</a>.</p>`;
  return documentOf(library, 'Not found', null, '', main);
}
