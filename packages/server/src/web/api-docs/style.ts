/** The one style sheet of the reference page. System fonts and no images: nothing is fetched from anywhere. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5b6877; --paper: #f6f8fa; --card: #fff;
  --line: #dde3ea; --accent: #0b6bcb; --chip: #e7edf3; --ok: #1a7f4b; --bad: #b4432f;
  --panel: #131a22; --panel-line: #2a3440; --panel-ink: #dbe4ee; --key: #8cc8ff; --text: #a5d6a7; --value: #f5c389; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf1; --soft: #9aa8b8; --paper: #10151b;
  --card: #171e26; --line: #2a3440; --accent: #6cb4ff; --chip: #222c37; --ok: #5fd39a; --bad: #ff9c87;
  --panel: #0b0f14; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1.5rem; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
a:focus-visible, summary:focus-visible, pre:focus-visible, .table:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { font-size: .88em; background: var(--chip); padding: .1em .35em; border-radius: 4px; overflow-wrap: anywhere; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .5rem; }
h2 { font-size: 1.35rem; line-height: 1.3; letter-spacing: -.01em; margin: 0 0 .75rem; }
h3 { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 2rem 0 .5rem; }
p { margin: 0 0 .9rem; }

.page { display: grid; grid-template-columns: 15rem minmax(0, 1fr); max-width: 84rem; margin: 0 auto; }
nav { position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto; padding: 2.25rem 1rem 2rem 1.5rem;
  border-right: 1px solid var(--line); }
nav .brand { display: block; font-weight: 650; font-size: 1.1rem; color: var(--ink); margin-bottom: 1.5rem; }
nav .group { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 1.25rem 0 .35rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: .5rem; align-items: center; padding: .3rem .5rem; margin-left: -.5rem; border-radius: 6px; color: var(--ink); }
nav .folded { display: none; }
nav li a:hover { background: var(--chip); text-decoration: none; }
main { padding: 2.25rem 2.5rem 6rem; min-width: 0; }
.lead { font-size: 1.05rem; color: var(--soft); max-width: 46rem; }

.method { font: 650 .68rem/1 ui-monospace, Menlo, Consolas, monospace; color: #fff; background: #1a7f4b;
  padding: .3em .45em; border-radius: 4px; letter-spacing: .03em; }
.method.get { background: #0b6bcb; } .method.put, .method.patch { background: #9a6700; } .method.delete { background: #b4432f; }
.operation, .matter { border-top: 1px solid var(--line); padding: 2.5rem 0; }
.operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 29rem); gap: 0 2.5rem; }
.operation > header { grid-column: 1 / -1; }
.address { display: flex; gap: .6rem; align-items: center; margin-bottom: 1.25rem; font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .9rem; overflow-wrap: anywhere; }
.samples { position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem); overflow-y: auto; }

.fields { margin: 0; border-top: 1px solid var(--line); }
.fields > div { padding: .7rem 0; border-bottom: 1px solid var(--line); }
.fields dt { display: flex; flex-wrap: wrap; gap: .2rem .6rem; align-items: baseline; }
.fields dt code { font-size: .88rem; background: none; padding: 0; font-weight: 600; }
.fields dd { margin: .2rem 0 0; color: var(--soft); }
.fields dd p { margin: 0 0 .3rem; }
.type { font-size: .82rem; color: var(--soft); }
.required { font-size: .75rem; color: var(--bad); }

.status { font-weight: 650; } .status.ok { color: var(--ok); } .status.bad { color: var(--bad); }
details { border-bottom: 1px solid var(--line); }
.answers { border-top: 1px solid var(--line); }
summary { cursor: pointer; padding: .6rem 0; display: flex; gap: .75rem; align-items: baseline; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "›"; color: var(--soft); width: .6rem; transition: transform .1s; }
details[open] > summary::before { transform: rotate(90deg); }
details > .inside { padding: 0 0 1rem 1.35rem; color: var(--soft); }
.inside .fields dt code { color: var(--ink); }

figure { margin: 0 0 1rem; background: var(--panel); border: 1px solid var(--panel-line); border-radius: 10px; overflow: hidden; }
figcaption { padding: .5rem .9rem; font-size: .78rem; color: #9aa8b8; border-bottom: 1px solid var(--panel-line); }
pre { margin: 0; padding: .9rem; overflow-x: auto; color: var(--panel-ink); font-size: .8rem; line-height: 1.55; tab-size: 2; }
.k { color: var(--key); } .s { color: var(--text); } .v { color: var(--value); }

.fields > div:last-child, .answers > :last-child { border-bottom: 0; }
.table { overflow-x: auto; } td code { white-space: nowrap; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-size: .8rem; color: var(--soft); font-weight: 600; }

@media (max-width: 72rem) { .operation { grid-template-columns: minmax(0, 1fr); } .samples { position: static; max-height: none; margin-top: 1.5rem; } }
@media (max-width: 52rem) { .page { grid-template-columns: minmax(0, 1fr); } nav { position: static; height: auto; border: 0; padding: 1.5rem 1.25rem 0; }
  nav .folded { display: block; } nav .unfolded { display: none; }
  nav .brand { margin-bottom: .5rem; } main { padding: 1.5rem 1.25rem 4rem; } }
`;
