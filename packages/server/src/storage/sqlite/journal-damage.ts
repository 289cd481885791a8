import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Whether the write-ahead journal has lost a commit that was acknowledged. SQLite reads the journal up to the first
 * frame whose checksum is wrong and takes the rest for the unfinished end of a crash, which is right for the last
 * transaction and silent loss for any other: each commit was flushed before the next one began, so two commits
 * beyond the break cannot be the end of a crash. The layout is described in SQLite's "WAL-mode File Format".
 */
export function findJournalDamage(journal: string): string | null {
  const file = openForReading(journal);
  if (file === null) return null;
  try {
    return examine(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC_LITTLE_ENDIAN = 0x377f0682;
const MAGIC_BIG_ENDIAN = 0x377f0683;

function examine(file: number, size: number): string | null {
  const header = read(file, 0, HEADER_BYTES);
  if (header === null || size <= HEADER_BYTES) return null;
  const magic = header.readUInt32BE(0);
  const littleEndian = magic === MAGIC_LITTLE_ENDIAN;
  const sum = new Checksum(littleEndian);
  sum.add(header.subarray(0, 24));
  const isOurs = littleEndian || magic === MAGIC_BIG_ENDIAN;
  if (!isOurs || !sum.equals(header, 24)) return 'the header of its journal is not valid';

  const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
  let broken = -1;
  let commitsBeyond = 0;
  for (let n = 0; ; n++) {
    const frame = read(file, HEADER_BYTES + n * frameBytes, frameBytes);
    if (frame === null) return null;
    // Frames of the journal's former life, which were folded back into the database long ago.
    const isOfThisLife = frame.subarray(8, 16).equals(header.subarray(16, 24));
    if (broken < 0) {
      sum.add(frame.subarray(0, 8));
      sum.add(frame.subarray(FRAME_HEADER_BYTES));
      if (isOfThisLife && sum.equals(frame, 16)) continue;
      broken = n;
    }
    const isCommit = frame.readUInt32BE(4) !== 0;
    if (isOfThisLife && isCommit && ++commitsBeyond === 2) {
      return `frame ${broken + 1} of its journal is not valid, and commits that were acknowledged stand beyond it`;
    }
  }
}

/** Fibonacci-weighted sums over pairs of 32-bit words, each frame's going on from the one before. */
class Checksum {
  #first = 0;
  #second = 0;
  constructor(private readonly littleEndian: boolean) {}

  add(bytes: Buffer): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let [first, second] = [this.#first, this.#second];
    for (let at = 0; at < view.byteLength; at += 8) {
      first = (first + view.getUint32(at, this.littleEndian) + second) >>> 0;
      second = (second + view.getUint32(at + 4, this.littleEndian) + first) >>> 0;
    }
    this.#first = first;
    this.#second = second;
  }

  equals(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#first && bytes.readUInt32BE(at + 4) === this.#second;
  }
}

function openForReading(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** null where the file ends before that. */
function read(file: number, position: number, length: number): Buffer | null {
  const bytes = Buffer.allocUnsafe(length);
  return readSync(file, bytes, 0, length, position) === length ? bytes : null;
}
