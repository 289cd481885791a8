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
const COMMA = 0x2c;
/** Of a file that begins with a byte order mark, its first cell begins behind that. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
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
  /** A quote opens a cell at its very start only; anywhere else in one that is not quoted it is a character. */
  let isCellStart = true;
  /** The quote before may be one half of a quote that is written twice. */
  let hasJustClosed = false;
  let marksRead = 0;

  const readQuotes = (byte: number | undefined) => {
    if (marksRead < BYTE_ORDER_MARK.length && byte === BYTE_ORDER_MARK[marksRead]) {
      marksRead++;
      return;
    }
    marksRead = BYTE_ORDER_MARK.length;
    const isQuote = byte === QUOTE;
    if (isQuote && (isQuoted || isCellStart || hasJustClosed)) {
      hasJustClosed = isQuoted;
      isQuoted = !isQuoted;
    } else hasJustClosed = false;
    isCellStart = !isQuoted && (byte === COMMA || byte === NEWLINE);
  };

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
      if (quotes) readQuotes(byte);
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
