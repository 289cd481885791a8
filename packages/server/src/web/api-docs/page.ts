import { html, raw } from 'hono/html';
import { catalogue, type ErrorCode } from '../../core/errors.ts';
import { type OpenApiDocument, securitySchemes } from '../openapi/document.ts';
import type { PublicOperation } from '../openapi/operation.ts';
import { codesOf } from '../openapi/operations.ts';
import { schemasOf } from '../openapi/schemas.ts';
import { renderOperation } from './operation.ts';
import { DOCS_STYLE } from './style.ts';
import { type Html, inline, prose } from './text.ts';

/**
 * The reference as one page that is written here and needs nothing else: no script, no font, no request. It
 * shows the same records that the OpenAPI document is made from.
 */
export function renderDocsPage(
  document: OpenApiDocument,
  operations: readonly PublicOperation[],
  baseUrl: string,
): Html {
  const schemas = schemasOf(operations);
  const { title, version, description } = document.info;
  const contents = renderContents(document, operations);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} API reference</title>
<link rel="icon" href="data:,">
<style>${raw(DOCS_STYLE)}</style>
</head>
<body>
<div class="page">
<nav aria-label="Reference">
<a class="brand" href="/">${title}</a>
<details class="folded"><summary>Contents</summary>${contents}</details>
<div class="unfolded">${contents}</div>
</nav>
<main id="top">
<h1>${title} API reference</h1>
<div class="lead">${prose(description)}</div>
<p class="type">Version ${version} · base address <code>${baseUrl}</code></p>
${renderAuthentication()}
${operations.map(operation => renderOperation(operation, schemas, baseUrl))}
${renderCatalogue(codesOf(operations))}
</main>
</div>
</body>
</html>
`;
}

/** Twice on the page, once folded up: a style sheet shows the one or the other, but unfolds nothing. */
const renderContents = ({ tags }: OpenApiDocument, operations: readonly PublicOperation[]): Html =>
  html`<ul><li><a href="#top">Overview</a></li><li><a href="#authentication">Authentication</a></li></ul>
${tags.map(({ name }) =>
  renderGroup(
    name,
    operations.filter(({ tag }) => tag === name),
  ),
)}
<div class="group">More</div>
<ul><li><a href="#errors">Errors</a></li><li><a href="/docs/guide/">Guide</a></li><li><a href="/v1/openapi.json">OpenAPI document</a></li></ul>`;

const renderGroup = (name: string, operations: readonly PublicOperation[]): Html =>
  html`<div class="group">${name}</div>
<ul>${operations.map(
    ({ id, method, summary }) =>
      html`<li><a href="#${id}"><span class="method ${method}">${method.toUpperCase()}</span> ${summary}</a></li>`,
  )}</ul>`;

function renderAuthentication(): Html {
  const rows = [
    ['Authorization: Bearer …', securitySchemes.apiKey.description],
    ['X-Ingest-Signature: …', securitySchemes.signature.description],
    ['Authorization: Bearer …', securitySchemes.sourceSecret.description],
  ] as const;
  return html`<section class="matter" id="authentication"><h2>Authentication</h2>
<dl class="fields">${rows.map(
    ([header, text]) => html`<div><dt><code>${header}</code></dt><dd>${inline(text)}</dd></div>`,
  )}</dl></section>`;
}

const renderCatalogue = (codes: readonly ErrorCode[]): Html =>
  html`<section class="matter" id="errors"><h2>Errors</h2>
<div class="table" tabindex="0" role="group" aria-label="Codes of errors"><table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead>
<tbody>${codes.map(
    code =>
      html`<tr><td><code>${code}</code></td><td>${catalogue[code].status}</td><td>${catalogue[code].message}</td></tr>`,
  )}</tbody></table></div></section>`;
