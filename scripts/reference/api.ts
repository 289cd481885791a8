import { catalogue } from '../../packages/server/src/core/errors.ts';
import { VERSION } from '../../packages/server/src/core/version.ts';
import { readSettings } from '../../packages/server/src/settings.ts';
import { createOpenApiDocument } from '../../packages/server/src/web/openapi/document.ts';
import { type Field, fieldsOf } from '../../packages/server/src/web/openapi/fields.ts';
import type { DocumentedLimits } from '../../packages/server/src/web/openapi/limits.ts';
import type { PublicOperation } from '../../packages/server/src/web/openapi/operation.ts';
import { publicOperations } from '../../packages/server/src/web/openapi/operations.ts';
import { type JsonSchema, schemasOf } from '../../packages/server/src/web/openapi/schemas.ts';
import { table } from './table.ts';

/** The page with the default limits; a running service shows its own at `/docs`. */
export function renderApi(): string {
  const limits = defaultLimits();
  const operations = publicOperations(limits);
  const schemas = schemasOf(operations);
  return `# API

${createOpenApiDocument(limits, VERSION).info.description}

A running service serves this page at \`/docs\`, with its own limits, and the OpenAPI 3.1 document at \`/v1/openapi.json\`.
All codes are in [errors.md](errors.md).

${operations.map(operation => renderOperation(operation, schemas)).join('\n')}`;
}

export function defaultLimits(): DocumentedLimits {
  const defaults = readSettings({});
  return {
    bodyBytes: defaults.SLUICE_MAX_BODY_BYTES,
    eventBytes: defaults.SLUICE_MAX_EVENT_BYTES,
    batchEvents: defaults.SLUICE_MAX_BATCH_EVENTS,
    nesting: defaults.SLUICE_MAX_NESTING,
    typeLength: defaults.SLUICE_MAX_TYPE_LENGTH,
    iconLength: defaults.SLUICE_MAX_ICON_LENGTH,
    idempotencyKeyLength: defaults.SLUICE_MAX_IDEMPOTENCY_KEY_LENGTH,
  };
}

function renderOperation(operation: PublicOperation, schemas: Readonly<Record<string, JsonSchema>>): string {
  const { summary, method, path, description, parameters, body, answers, errors } = operation;
  const bodies = Object.entries(body ?? {}).flatMap(([type, { schema }]) => {
    const fields = fieldsOf(schema, schemas);
    return fields.length === 0 ? [] : [`### Body, \`${type}\`\n\n${fieldTable(fields)}\n`];
  });
  const answerRows = [
    ...Object.entries(answers).map(([status, answer]) => [status, answer.description]),
    ...Array.from(
      Map.groupBy(errors, code => catalogue[code].status),
      ([status, codes]) => [String(status), codes.map(code => `\`${code}\``).join(', ')],
    ),
  ];
  const answered = Object.entries(answers).map(
    ([status, { example }]) => `A ${status}:\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`,
  );
  return [
    `## ${summary}\n\n\`${method.toUpperCase()} ${path}\`\n\n${description}\n`,
    `\`\`\`sh\n${operation.sample('http://localhost:8080')}\n\`\`\`\n`,
    ...(parameters.length === 0 ? [] : [`### Headers, path and query\n\n${parameterTable(parameters)}\n`]),
    ...bodies,
    `### Answers\n\n${table(['Status', 'Meaning'], answerRows)}\n`,
    ...answered,
  ].join('\n');
}

const parameterTable = (parameters: PublicOperation['parameters']): string =>
  table(
    ['Name', 'In', 'Meaning'],
    parameters.map(({ name, in: place, description }) => [`\`${name}\``, place, description]),
  );

const fieldTable = (fields: readonly Field[]): string =>
  table(
    ['Field', 'Type', 'Meaning'],
    fields.map(({ name, type, required, description, rules }) => [
      `\`${name}\``,
      required ? `${type}, required` : type,
      [description, rules].filter(Boolean).join(' '),
    ]),
  );
