import { html } from 'hono/html';
import { catalogue, type ErrorCode } from '../../core/errors.ts';
import { type Field, fieldsOf } from '../openapi/fields.ts';
import type { Parameter, PublicOperation } from '../openapi/operation.ts';
import type { JsonSchema } from '../openapi/schemas.ts';
import { code, type Html, inline, json, prose } from './text.ts';

/** One public call: what it does on the left, what to type and what comes back on the right. */
export function renderOperation(
  operation: PublicOperation,
  schemas: Readonly<Record<string, JsonSchema>>,
  baseUrl: string,
): Html {
  const { id, method, path, summary, description, parameters, body, answers } = operation;
  return html`<section class="operation" id="${id}">
<header><h2>${summary}</h2>
<div class="address"><span class="method ${method}">${method.toUpperCase()}</span> <span>${path}</span></div></header>
<div>
${prose(description)}
${parameters.length > 0 ? html`<h3>Headers, path and query</h3>${fieldList(parameters.map(toField))}` : ''}
${Object.entries(body ?? {}).map(([type, { schema }]) => renderBody(type, fieldsOf(schema, schemas)))}
<h3>Responses</h3>
<div class="answers">
${Object.entries(answers).map(
  ([
    status,
    answer,
  ]) => html`<details open><summary><span class="status ok">${status}</span> <span>${inline(answer.description)}</span></summary>
<div class="inside">${fieldList(answeredFields(fieldsOf(schemas[answer.schema] ?? {}, schemas)))}</div></details>`,
)}
${renderErrors(operation.errors)}
</div>
</div>
<div class="samples">
${code('Shell', html`${operation.sample(baseUrl)}`)}
${Object.entries(answers).map(([status, { example }]) => code(`Response ${status}`, json(example)))}
${Object.values(body ?? {})
  .flatMap(({ examples }) => Object.values(examples))
  .map(example => code(`Body: ${example.summary.toLowerCase()}`, json(example.value)))}
</div>
</section>`;
}

/** What is always there needs no mark in an answer. */
const answeredFields = (fields: readonly Field[]): Field[] =>
  fields.map(field => ({ ...field, required: false }));

function renderBody(mediaType: string, fields: readonly Field[]): Html {
  return html`<h3>Body, ${mediaType}</h3>
${fields.length > 0 ? fieldList(fields) : html`<p>Anything that the description above allows.</p>`}`;
}

const toField = ({ name, in: place, required, description }: Parameter): Field => ({
  name,
  type: place,
  required,
  description,
  rules: '',
});

const fieldList = (fields: readonly Field[]): Html =>
  html`<dl class="fields">${fields.map(
    ({ name, type, required, description, rules }) =>
      html`<div><dt><code>${name}</code> <span class="type">${type}</span>${
        required ? html` <span class="required">required</span>` : ''
      }</dt>${description === '' && rules === '' ? '' : html`<dd>${inline([description, rules].filter(Boolean).join(' '))}</dd>`}</div>`,
  )}</dl>`;

function renderErrors(codes: readonly ErrorCode[]): Html[] {
  const byStatus = Map.groupBy(codes, code => catalogue[code].status);
  return Array.from(
    byStatus,
    ([
      status,
      sameStatus,
    ]) => html`<details><summary><span class="status bad">${status}</span> <span>${sameStatus.map((code, i) => html`${i > 0 ? ' ' : ''}<code>${code}</code>`)}</span></summary>
<div class="inside"><dl class="fields">${sameStatus.map(
      code => html`<div><dt><code>${code}</code></dt><dd>${catalogue[code].message}</dd></div>`,
    )}</dl></div></details>`,
  );
}
