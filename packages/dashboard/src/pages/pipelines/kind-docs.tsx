import { Code, Text } from '@mantine/core';

/** What a kind does. Its documentation is a few sentences of Markdown, of which `code` is all that they use. */
export function KindDocs({ docs, brief = false }: { docs: string; brief?: boolean }) {
  const text = brief ? (/^.*?[.;](?=\s|$)/.exec(docs)?.[0] ?? docs).replace(/;$/, '.') : docs;
  return (
    <Text size={brief ? 'xs' : 'sm'} c="dimmed" component="div">
      {text.split('`').map((part, place) =>
        place % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text that does not change
          <Code key={place} c="inherit">
            {part}
          </Code>
        ) : (
          part
        ),
      )}
    </Text>
  );
}
