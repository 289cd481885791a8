import { DOCS_STYLE } from '../api-docs/style.ts';

/** The style sheet of the guide: that of the API reference, and what prose needs besides. */
export const GUIDE_STYLE = `${DOCS_STYLE}
.page { max-width: 76rem; grid-template-columns: 17rem minmax(0, 1fr); }
main { max-width: 54rem; }
main h1 { margin-bottom: 1rem; }
main h2 { margin: 2.4rem 0 .75rem; }
main h3 { font-size: 1.02rem; text-transform: none; letter-spacing: 0; color: var(--ink); margin: 1.8rem 0 .5rem; }
main pre { background: var(--panel); border: 1px solid var(--panel-line); border-radius: 10px; margin: 0 0 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
main pre code { background: none; padding: 0; font-size: inherit; overflow-wrap: normal; }
main a { text-decoration: underline; text-underline-offset: 2px; }
main li { margin: .2rem 0; }
main img { display: block; max-width: 100%; height: auto; margin: 1rem 0; }
blockquote { margin: 0 0 1rem; padding: .1rem 1rem; border-left: 3px solid var(--line); color: var(--soft); }
main .table { margin: 0 0 1rem; } main td code { white-space: normal; }
nav .brand { margin-bottom: 1rem; }
nav form { margin: 0 0 1rem; }
nav input { width: 100%; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .6rem; }
nav input:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
nav details { border: 0; }
nav summary { padding: .35rem 0; font-weight: 600; gap: .4rem; }
nav details ul { margin: 0 0 .5rem 1rem; }
nav li a { padding: .2rem .5rem; }
nav li a[aria-current] { background: var(--chip); font-weight: 600; }
nav ul ul { margin-left: .75rem; } nav ul ul a { font-size: .88rem; color: var(--soft); }
.cards { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .75rem; }
.cards li { margin: 0; padding: .8rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.cards p { margin: .2rem 0 0; font-size: .88rem; color: var(--soft); }
.found { list-style: none; padding: 0; } .found li { margin: 0 0 1.25rem; } .found > li > a { font-weight: 600; }
.found p { margin: .2rem 0 0; font-size: .92rem; color: var(--soft); overflow-wrap: anywhere; }
nav .menu { display: none; font: inherit; font-weight: 600; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .4rem .9rem; cursor: pointer; }
nav .menu:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
#pages { display: block; position: static; inset: auto; width: auto; height: auto; margin: 0; padding: 0; border: 0; color: inherit; background: none; overflow: visible; }
@media (max-width: 52rem) {
  .page { grid-template-columns: minmax(0, 1fr); }
  nav { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .75rem; align-items: center; }
  nav .brand { grid-column: 1 / -1; margin: 0; } nav form { margin: 0; } nav .menu { display: block; }
  #pages:not(:popover-open) { display: none; }
  #pages:popover-open { position: fixed; inset: 4rem 1rem 1rem; padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); overflow-y: auto; box-shadow: 0 8px 30px rgb(0 0 0 / .3); }
  #pages::backdrop { background: rgb(0 0 0 / .4); }
  nav ul ul { display: none; }
}
`;
