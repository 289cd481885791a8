import { randomFillSync } from 'node:crypto';

/**
 * Type-prefixed ULIDs: 48 bits of time, 80 bits of chance, in Crockford base32. Written here rather than taken
 * from a package because the ingest endpoints make one per event: ids of one millisecond count upwards, so that a batch
 * keeps its order, and fresh chance is drawn once a millisecond.
 */
export type IdPrefix =
  | 'evt'
  | 'src'
  | 'pipe'
  | 'dst'
  | 'dlv'
  | 'key'
  | 'org'
  | 'usr'
  | 'job'
  | 'inv'
  | 'aud'
  | 'run'
  | 'ent'
  | 'view'
  | 'node'
  | 'tev';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** What each character stands for, by its code. */
const DIGITS = Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));
const FORTY_BITS = 2 ** 40;

const chance = new Uint8Array(10);
let lastMs = -1;
/** All but the last eight characters: the time and the upper half of the chance. */
let stem = '';
let high = 0;
let low = 0;

export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    randomFillSync(chance);
    high = fortyBits(0);
    low = fortyBits(5);
    stem = encode(lastMs, 10) + encode(high, 8);
  } else if (++low === FORTY_BITS) {
    // The clock stood still or went back: keep counting in the last millisecond seen, so order holds.
    low = 0;
    high = (high + 1) % FORTY_BITS;
    stem = encode(lastMs, 10) + encode(high, 8);
  }
  return `${prefix}_${stem}${encode(low, 8)}`;
}

/** The smallest id of that moment: ids below it are older. */
export function idFloor(prefix: IdPrefix, epochMs: number): string {
  return `${prefix}_${encode(Math.max(0, Math.floor(epochMs)), 10)}${'0'.repeat(16)}`;
}

/** When an id was made. Only for ids of our own making. */
export function idTime(id: string): number {
  const from = id.indexOf('_') + 1;
  let ms = 0;
  for (let i = from; i < from + 10; i++) ms = ms * 32 + (DIGITS[id.charCodeAt(i)] ?? -1);
  return ms;
}

export function isId(prefix: IdPrefix, value: string): boolean {
  return value.startsWith(`${prefix}_`) && /^[0-9A-HJKMNP-TV-Z]{26}$/.test(value.slice(prefix.length + 1));
}

function fortyBits(offset: number): number {
  let n = 0;
  for (let i = offset; i < offset + 5; i++) n = n * 256 + (chance[i] ?? 0);
  return n;
}

/** Every pair of characters, so that ten bits are one look-up. */
const PAIRS = Array.from({ length: 1024 }, (_, n) => `${ALPHABET[n >> 5]}${ALPHABET[n & 31]}`);

/** `length` is even: whole pairs are written, from the lowest up. */
function encode(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 1024)) {
    text = PAIRS[rest % 1024] + text;
  }
  return text;
}
