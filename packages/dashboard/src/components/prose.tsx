import { Code, Stack, Text } from '@mantine/core';
import { Command } from './copy.tsx';

/** Text with `code` in it. */
export function InlineCode({ text }: { text: string }) {
  const parts = text.split('`');
  return (
    <>
      {parts.map((part, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in a text that does not change
        index % 2 === 1 ? <Code key={index}>{part}</Code> : part,
      )}
    </>
  );
}

/** What a kind says of itself, which is Markdown of the plainest sort: paragraphs, `code`, and blocks to copy. */
export function Prose({ text }: { text: string }) {
  const parts = text.split(/^```\w*$/m);
  return (
    <Stack gap="xs">
      {parts.map((part, index) => {
        const shown = part.trim();
        if (shown === '') return null;
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        if (index % 2 === 1) return <Command key={index} text={shown} />;
        return shown.split(/\n{2,}/).map(paragraph => (
          <Text key={paragraph} size="sm" c="dimmed">
            <InlineCode text={paragraph.replaceAll('\n', ' ')} />
          </Text>
        ));
      })}
    </Stack>
  );
}

/** Docs begin with what the kind does. A full stop inside `code` ends nothing; what follows a colon may be left out. */
export const firstSentence = (docs: string): string =>
  (/^(?:`[^`]*`|[^`])*?[.:;](?=\s|$)/.exec(docs)?.[0] ?? docs).replace(/[:;]$/, '.');
