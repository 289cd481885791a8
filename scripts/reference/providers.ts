import { providerAdmin } from '../../packages/server/src/ingest/provider-admin.ts';
import { table } from './table.ts';

/** One section for each provider of webhooks, from what its preset says of itself. */
export function renderProviders(): string {
  const providers = providerAdmin.list();
  return `# Providers

The providers that a webhook source can be made for, as their presets describe themselves.
[webhooks-in.md](../webhooks-in.md) tells how they are used. A sender that is not listed is a source with a scheme of your own.

${table(
  ['Provider', 'Name', 'Also'],
  providers.map(({ name, title, also = [] }) => [
    `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`,
    `\`${name}\``,
    also.join(', '),
  ]),
)}

${providers
  .map(({ title, steps, documentation, fields, signature, type, note }) =>
    [
      `## ${title}`,
      steps.map((step, i) => `${i + 1}. ${step}`).join('\n'),
      table(
        ['', ''],
        [
          ['Signed', signature],
          ['Type of an event', type],
          ...Object.entries(fields).map(([field, { label, hint }]) => [`\`${field}\``, `${label}. ${hint}`]),
          ...(note === undefined ? [] : [['More', note]]),
          ['At the provider’s', documentation],
        ],
      ),
    ].join('\n\n'),
  )
  .join('\n\n')}
`;
}
