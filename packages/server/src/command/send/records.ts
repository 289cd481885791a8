/**
 * The records of a file or of standard input, one at a time, however long it is. A record knows the line that it begins
 * in; one that is longer than any server takes is cut there, and refused as what it then is.
 */
export interface TextRecord {
  readonly line: number;
  readonly text: string;
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
/** Beyond any limit of a server: such a line is not gathered in memory. */
const LONGEST_RECORD_BYTES = 8 * 1024 * 1024;

/** Lines that hold something. `onBytes` hears how much was read. */
export const readLines = (input: AsyncIterable<Uint8Array>, onBytes: (bytes: number) => void) =>
  readRecords(input, onBytes, false);

/** As lines, but for line breaks inside quotes, which belong to a CSV record. */
export const readCsvRecords = (input: AsyncIterable<Uint8Array>, onBytes: (bytes: number) => void) =>
  readRecords(input, onBytes, true);

async function* readRecords(
  input: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
  quotes: boolean,
): AsyncGenerator<TextRecord> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: false });
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  let line = 1;
  let begins = 1;
  let isQuoted = false;

  const keep = (part: Uint8Array) => {
    if (keptBytes + part.length > LONGEST_RECORD_BYTES || part.length === 0) return;
    // The chunk is the stream's own, and may be used again.
    kept.push(part.slice());
    keptBytes += part.length;
  };
  const take = (part: Uint8Array): TextRecord => {
    const whole = kept.length === 0 ? part : Buffer.concat([...kept, part]);
    kept = [];
    keptBytes = 0;
    const text = decoder.decode(whole);
    return { line: begins, text: text.endsWith('\r') ? text.slice(0, -1) : text };
  };

  for await (const chunk of input) {
    onBytes(chunk.length);
    let from = 0;
    for (let at = quotes ? 0 : chunk.indexOf(NEWLINE); at >= 0 && at < chunk.length; ) {
      const byte = chunk[at];
      if (quotes && byte === QUOTE) isQuoted = !isQuoted;
      if (byte === NEWLINE) {
        line++;
        if (!isQuoted) {
          const record = take(chunk.subarray(from, at));
          from = at + 1;
          begins = line;
          if (record.text.trim() !== '') yield record;
        }
      }
      at = quotes ? at + 1 : chunk.indexOf(NEWLINE, at + 1);
    }
    keep(chunk.subarray(from));
  }
  const last = take(new Uint8Array());
  if (last.text.trim() !== '') yield last;
}
