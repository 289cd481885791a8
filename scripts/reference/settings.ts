import { declarations } from '../../packages/server/src/settings.ts';
import { table } from './table.ts';

export function renderSettings(): string {
  const rows = Object.entries(declarations).map(([name, { meaning, default: fallback, ...rest }]) => [
    `\`${name}\``,
    describeDefault(fallback),
    'secret' in rest ? `${meaning} Secret: never shown, never logged.` : meaning,
  ]);
  return `# Settings

Every setting is an environment variable. A value that cannot be used, or a name that begins with \`SLUICE_\` and is
not in this table, stops the start with one line that names it. \`npx sluice doctor\` shows the settings in use.

${table(['Setting', 'Default', 'Meaning'], rows)}

Flags are \`true\` or \`false\` (also \`1\`, \`on\`, \`yes\`, \`0\`, \`off\`, \`no\`). Lists are separated by commas. An empty value counts
as absent. Names that begin with \`SLUICE_TEST_\` belong to the tests and are ignored.
`;
}

function describeDefault(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '–';
  return `\`${Array.isArray(value) ? value.join(',') : String(value)}\``;
}
