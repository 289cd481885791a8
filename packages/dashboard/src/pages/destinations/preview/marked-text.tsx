import type { ReactNode } from 'react';
import type { Marked, MarkName } from './marks.ts';
import classes from './preview.module.css';

const elements: Readonly<Record<MarkName, (inner: ReactNode) => ReactNode>> = {
  bold: inner => <strong>{inner}</strong>,
  italic: inner => <em>{inner}</em>,
  underline: inner => <u>{inner}</u>,
  strike: inner => <s>{inner}</s>,
  code: inner => <code className={classes.code}>{inner}</code>,
  block: inner => <pre className={classes.block}>{inner}</pre>,
  quote: inner => <blockquote className={classes.quote}>{inner}</blockquote>,
  spoiler: inner => <span className={classes.spoiler}>{inner}</span>,
  heading: inner => <strong className={classes.heading}>{inner}</strong>,
};

/** Text with its marks, drawn. */
export function MarkedText({ text }: { text: readonly Marked[] }) {
  return (
    <>
      {text.map((part, index) => {
        if (typeof part === 'string') return part;
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in a text that is drawn whole
        return <MarkedPart key={index} part={part} />;
      })}
    </>
  );
}

function MarkedPart({ part }: { part: Exclude<Marked, string> }) {
  const inner = <MarkedText text={part.inner} />;
  if (part.mark !== 'link') return elements[part.mark](inner);
  return (
    <a href={'href' in part ? part.href : undefined} target="_blank" rel="noreferrer noopener">
      {inner}
    </a>
  );
}
