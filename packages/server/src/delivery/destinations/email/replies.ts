/**
 * A mail server may reply anything, and the library that reads it searches every reply with regular expressions: one
 * line of a megabyte keeps it busy for hours. So replies are cut to what they may be, line by line, and a server that
 * goes on and on is hung up on.
 *
 * The limits: https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1, with room for servers that do not keep them.
 */
interface ReplyCheck {
  /** What of these bytes may be read. Throws `TooMuchSaid`. */
  take(bytes: Buffer): Buffer;
}

/** A mail server said more than any mail needs. */
export class TooMuchSaid extends Error {}

const MOST_BYTES = 1024 * 1024;
const MOST_LINES = 2_000;
/** The standard has 512. */
const MOST_LINE_BYTES = 2 * 1024;
/** A reason is kept for people to read, and nobody searches it. */
const MOST_REFUSAL_BYTES = 16 * 1024;

const [LF, FOUR, FIVE] = [0x0a, 0x34, 0x35];
const LINE_END = Buffer.from([LF]);

export function createReplyCheck(): ReplyCheck {
  let bytesTaken = 0;
  let lines = 0;
  /** Of the line that is coming in. */
  let length = 0;
  let most = 0;

  return {
    take(bytes) {
      bytesTaken += bytes.length;
      if (bytesTaken > MOST_BYTES) throw new TooMuchSaid('The mail server sent too much data.');
      const kept: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const found = bytes.indexOf(LF, at);
        const end = found === -1 ? bytes.length : found;
        if (length === 0) most = isRefusal(bytes[at]) ? MOST_REFUSAL_BYTES : MOST_LINE_BYTES;
        if (length < most) kept.push(bytes.subarray(at, Math.min(end, at + most - length)));
        length += end - at;
        at = end + 1;
        if (found === -1) break;
        if (++lines > MOST_LINES) throw new TooMuchSaid('The mail server replied with too many lines.');
        kept.push(LINE_END);
        length = 0;
      }
      return Buffer.concat(kept);
    },
  };
}

const isRefusal = (first: number | undefined): boolean => first === FOUR || first === FIVE;
