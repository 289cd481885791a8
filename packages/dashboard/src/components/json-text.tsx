import { stringifyExact } from '../lib/api/exact-json.ts';
import { prettyJson } from '../lib/pretty-json.ts';
import { CopyIcon } from './copy.tsx';
import classes from './json-text.module.css';

const tokens = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;
/** Colouring a payload of a megabyte would make a million elements; past this it is shown plain. */
const MOST_COLOURED = 60_000;

/**
 * JSON as text, never as markup: whatever a payload holds is only ever read. A text is laid out, and copied as it came:
 * a signature is over each of its bytes.
 */
export function JsonText({
  value,
  maxHeight = 420,
  copyLabel = 'Copy as JSON',
}: {
  value: unknown;
  maxHeight?: number;
  copyLabel?: string;
}) {
  const given = typeof value === 'string' ? value : stringifyExact(value);
  const text = typeof value === 'string' ? prettyJson(value) : given;
  return (
    <div className={classes.box}>
      <div className={classes.copy}>
        <CopyIcon text={given} label={copyLabel} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keys */}
      <pre className={classes.text} style={{ maxHeight }} tabIndex={0}>
        {text.length > MOST_COLOURED ? text : [...coloured(text)]}
      </pre>
    </div>
  );
}

function* coloured(text: string) {
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    if (match.index > end) yield text.slice(end, match.index);
    const [whole, quoted, colon] = match;
    const kind = quoted === undefined ? 'value' : colon === undefined ? 'string' : 'key';
    yield (
      <span key={match.index} className={classes[kind]}>
        {quoted ?? whole}
      </span>
    );
    if (colon !== undefined) yield colon;
    end = match.index + whole.length;
  }
  yield text.slice(end);
}
