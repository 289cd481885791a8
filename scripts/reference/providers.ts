import { providerAdmin } from '../../packages/server/src/ingest/provider-admin.ts';
import { json } from './kinds.ts';
import { table } from './table.ts';

type Provider = ReturnType<typeof providerAdmin.list>[number];

/** An overview of the providers of webhooks, and a page for each, from what its preset says of itself. */
export function providerPages(): Record<string, string> {
  const providers = providerAdmin.list();
  const overview = `# Providers

The ${providers.length} providers that a webhook source can be made for, as their presets describe themselves.
[webhooks-in.md](../webhooks-in.md) tells how they are used. A sender that is not listed is a source with
[a custom scheme](../webhooks-in.md#custom-schemes).

${table(
  ['Provider', 'Name', 'Also'],
  providers.map(({ name, title, also = [] }) => [
    `[${title}](providers/${name}.md)`,
    `\`${name}\``,
    also.join(', '),
  ]),
)}
`;
  return Object.fromEntries([
    ['providers.md', overview],
    ...providers.map(provider => [`providers/${provider.name}.md`, renderProvider(provider)] as const),
  ]);
}

function renderProvider({
  name,
  title,
  also = [],
  steps,
  documentation,
  fields,
  signature,
  type,
  note,
}: Provider) {
  const asked = Object.fromEntries(Object.keys(fields).map(field => [field, '…']));
  return `# ${title}

How webhooks of ${title} come in: as a source with the preset \`${name}\`.${also.length > 0 ? ` It also fits ${also.join(', ')}.` : ''}

## Set it up

${steps.map((step, i) => `${i + 1}. ${step}`).join('\n')}

At the provider’s: ${documentation}.

## What it does

${table(
  ['', ''],
  [
    ['Signed', signature],
    ['Type of an event', type],
    ...Object.entries(fields).map(([field, { label, hint }]) => [`\`${field}\``, `${label}. ${hint}`]),
    ...(note === undefined ? [] : [['More', note]]),
  ],
)}

The form asks for these values:

${json({ kind: 'webhook', name: title, auth: 'provider', provider: name, ...asked })}

When nothing arrives, [the source’s page](../../webhooks-in.md#when-nothing-arrives) says why. All providers:
[Providers](../providers.md).
`;
}
