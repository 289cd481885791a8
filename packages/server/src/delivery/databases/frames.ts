/**
 * Somebody's database may answer anything, and the library that reads it trusts what it reads: one text without its
 * end keeps it busy for ever. So every frame is looked at first: it must be one that a server sends who is asked for
 * nothing but a few rows, be as long as it says, and end where its parts end.
 *
 * The frames: https://www.postgresql.org/docs/current/protocol-message-formats.html.
 */
interface FrameCheck {
  /** Something was sent that the server answers, and is then ready for more. */
  asked(): void;
  /** The whole frames that these bytes complete, one after the other. Throws `NotUnderstood`. */
  take(bytes: Buffer): Buffer[];
}

/** A database answered what no PostgreSQL does. */
export class NotUnderstood extends Error {}

/** The catalogue's answers and the longest error take far less. */
const MOST_FRAME_BYTES = 1024 * 1024;
/** Until the server is ready for the first question: whoever has not let us in has little to say. */
const MOST_START_BYTES = 64 * 1024;
/** From one moment at which the server is ready for a question to the next. */
const MOST_ANSWER_BYTES = 2 * 1024 * 1024;
/** A table has 1,600 columns at the most, and each row of an answer takes many times its bytes. */
const MOST_ROWS = 5_000;
/** Each makes us compute; servers ask for 4,096. The library that computes takes as many by itself. */
const MOST_SCRAM_ROUNDS = 100_000;
const HEADER_BYTES = 5;
const TOO_MUCH = 'its response was far too large';

export function createFrameCheck(): FrameCheck {
  const header = Buffer.alloc(HEADER_BYTES);
  /** What is being filled: the header, or the frame that it announced. */
  let filling: Buffer = header;
  let filled = 0;
  let answerBytes = 0;
  let mostBytes = MOST_START_BYTES;
  let rows = 0;
  /** The first time is after the start, which nobody asks for. */
  let readinessDue = 1;
  /** The steps of authentication that have come. */
  const steps = new Set<number>();

  function next(frame: Buffer): void {
    filling = frame;
    filled = frame === header ? 0 : header.copy(frame);
  }

  /** Sound by itself, a frame may still come too often: each has something computed or looked at. */
  function requireDue(code: string, body: Buffer): void {
    if (code === 'D' && ++rows > MOST_ROWS) throw new NotUnderstood(TOO_MUCH);
    if (code === 'R') {
      const step = body.readUInt32BE(0);
      if (steps.has(step)) throw new NotUnderstood('it repeated a step of authentication');
      steps.add(step);
    }
    if (code !== 'Z') return;
    if (readinessDue === 0) throw new NotUnderstood('it sent an unexpected response');
    readinessDue--;
    answerBytes = rows = 0;
    mostBytes = MOST_ANSWER_BYTES;
  }

  return {
    asked() {
      readinessDue++;
    },
    take(bytes) {
      answerBytes += bytes.length;
      if (answerBytes > mostBytes) throw new NotUnderstood(TOO_MUCH);
      const whole: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const copied = bytes.copy(filling, filled, at);
        at += copied;
        filled += copied;
        if (filled < filling.length) break;
        if (filling === header) next(Buffer.allocUnsafe(1 + lengthIn(header)));
        if (filled < filling.length) continue;
        const code = codeIn(filling);
        const body = filling.subarray(HEADER_BYTES);
        if (!checks[code]?.(body)) throw new NotUnderstood('it sent a malformed message');
        requireDue(code, body);
        whole.push(filling);
        next(header);
      }
      return whole;
    },
  };
}

const codeIn = (header: Buffer): string => String.fromCharCode(header.readUInt8(0));

function lengthIn(header: Buffer): number {
  const length = header.readUInt32BE(1);
  if (checks[codeIn(header)] === undefined) throw new NotUnderstood('it sent a message of no known kind');
  if (length < 4 || length > MOST_FRAME_BYTES)
    throw new NotUnderstood('it sent a message of an impossible length');
  return length;
}

type Check = (body: Buffer) => boolean;

const isEmpty: Check = body => body.length === 0;

/** What a server may send us, by its code. Copies and notifications are not among it: nobody asks for them. */
const checks: Readonly<Record<string, Check | undefined>> = {
  R: isAuthentication,
  K: body => body.length >= 8 && body.length <= 4 + 256,
  S: body => endOfTexts(body, 0, 2) === body.length,
  v: body => body.length >= 8 && endOfTexts(body, 8, body.readUInt32BE(4)) === body.length,
  Z: body => body.length === 1,
  E: isNotice,
  N: isNotice,
  T: isRowDescription,
  D: isRow,
  C: body => endOfTexts(body, 0, 1) === body.length,
  t: body => body.length >= 2 && body.length === 2 + 4 * body.readUInt16BE(0),
  I: isEmpty,
  n: isEmpty,
  1: isEmpty,
  2: isEmpty,
  3: isEmpty,
};

/** The place after so many texts, each ended by a zero; -1 where there are fewer. */
function endOfTexts(body: Buffer, from: number, count: number): number {
  let at = from;
  for (let n = 0; n < count; n++) {
    const end = body.indexOf(0, at);
    if (end === -1) return -1;
    at = end + 1;
  }
  return at;
}

/** Fields of a letter and a text, and a zero in place of a further letter. */
function isNotice(body: Buffer): boolean {
  let at = 0;
  while (at < body.length && body[at] !== 0) {
    at = endOfTexts(body, at + 1, 1);
    if (at === -1) return false;
  }
  return at === body.length - 1;
}

function isRowDescription(body: Buffer): boolean {
  if (body.length < 2) return false;
  let at = 2;
  for (let left = body.readUInt16BE(0); left > 0; left--) {
    at = endOfTexts(body, at, 1);
    if (at === -1 || at + 18 > body.length) return false;
    at += 18;
  }
  return at === body.length;
}

function isRow(body: Buffer): boolean {
  if (body.length < 2) return false;
  let at = 2;
  for (let left = body.readUInt16BE(0); left > 0; left--) {
    if (at + 4 > body.length) return false;
    const length = body.readInt32BE(at);
    if (length < -1) return false;
    at += 4 + Math.max(length, 0);
  }
  return at === body.length;
}

function isAuthentication(body: Buffer): boolean {
  if (body.length < 4) return false;
  switch (body.readUInt32BE(0)) {
    // Done; a password as it is.
    case 0:
    case 3:
      return body.length === 4;
    // A password hashed with MD5 and this salt.
    case 5:
      return body.length === 8;
    // The ways of SASL that there are, and a zero.
    case 10:
      return body.length > 4 && body.at(-1) === 0 && body.at(-2) === 0;
    case 11:
      return isScramChallenge(body.toString('latin1', 4));
    case 12:
      return true;
    default:
      return false;
  }
}

/** With the rounds given once: of two, the library would take the one that was not looked at. */
function isScramChallenge(text: string): boolean {
  const [rounds = '', ...more] = text.split(',').filter(part => part.startsWith('i='));
  if (more.length > 0 || !/^i=\d+$/.test(rounds)) return false;
  if (Number(rounds.slice(2)) <= MOST_SCRAM_ROUNDS) return true;
  throw new NotUnderstood(`it asked for more than ${MOST_SCRAM_ROUNDS} rounds of SCRAM`);
}
