import { Button, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { type DiffLine, diffLines, foldUnchanged } from './line-diff.ts';
import classes from './text-diff.module.css';

/** Nobody reads further, and a browser should not have to draw it. */
const MOST_DRAWN = 2_000;

const marks = { same: ' ', removed: '−', added: '+' } as const;
const spoken = { same: '', removed: 'removed: ', added: 'added: ' } as const;

/** A field that is no longer the last one of its object gets a comma, and has not changed. */
const withoutComma = (line: string): string => (line.endsWith(',') ? line.slice(0, -1) : line);

/** Two JSON texts as one: what was taken out and what was put in, with a little around it. */
export function TextDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => diffLines(before, after, withoutComma), [before, after]);
  const parts = useMemo(() => foldUnchanged(lines), [lines]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  if (lines.every(({ kind }) => kind === 'same')) {
    return (
      <Text size="sm" c="dimmed">
        No changes.
      </Text>
    );
  }
  let room = MOST_DRAWN;
  const take = (some: readonly DiffLine[]) => {
    const taken = some.slice(0, Math.max(0, room));
    room -= some.length;
    return taken;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keys
    <section className={classes.box} aria-label={label} tabIndex={0}>
      {parts.map(part =>
        part.kind === 'gap' && !opened.has(part.from) ? (
          <Button
            key={part.from}
            size="compact-xs"
            variant="subtle"
            color="gray"
            className={classes.gap ?? ''}
            onClick={() => setOpened(new Set([...opened, part.from]))}
          >
            {part.lines.length} unchanged lines
          </Button>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          take(part.lines).map((line, i) => <Line key={part.from + i} line={line} />)
        ),
      )}
      {room < 0 && (
        <Text size="xs" c="dimmed" px="sm" py={6}>
          {-room} more lines are not shown.
        </Text>
      )}
    </section>
  );
}

function Line({ line: { kind, text } }: { line: DiffLine }) {
  return (
    <div className={classes.line} data-kind={kind}>
      <span aria-hidden className={classes.mark}>
        {marks[kind]}
      </span>
      {kind !== 'same' && <span className={classes.spoken}>{spoken[kind]}</span>}
      <span>{text}</span>
    </div>
  );
}
