import { catalogue, type ErrorCode } from '../../packages/server/src/core/errors.ts';
import { table } from './table.ts';

/** Those after which the very same request may succeed. */
const worthRetrying: ReadonlySet<ErrorCode> = new Set([
  'connection_not_here',
  'rate_limited',
  'internal',
  'storage_unavailable',
]);

export function renderErrors(): string {
  const rows = (Object.keys(catalogue) as ErrorCode[]).map(code => [
    `\`${code}\``,
    String(catalogue[code].status),
    catalogue[code].message,
    worthRetrying.has(code) ? 'yes' : 'no',
  ]);
  return `# Errors

A refusal is \`{"error": {"message", "code", "path"?}}\`. \`code\` is one of the words below and stays as it is; \`message\` is a
sentence for people, often more exact than the one here, and may change; \`path\` points at the offending field, such as
\`events[2].type\`. A 429 and a 503 carry \`Retry-After\` in whole seconds, a 405 carries \`Allow\`.

${table(['Code', 'Status', 'Message', 'Retry the same request?'], rows)}
`;
}
