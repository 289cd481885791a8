import { randomFillSync } from 'node:crypto';

/**
 * Type-prefixed ULIDs: 48 bits of time, 80 bits of chance, in Crockford base32. Written here rather than taken
 * from a package because the doors make one per event: ids of one millisecond count upwards, so that a batch
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
  | 'run';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const FORTY_BITS = 2 ** 40;

const chance = new Uint8Array(10);
let lastMs = -1;
let timePart = '';
let high = 0;
let low = 0;

export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    timePart = encode(nowMs, 10);
    randomFillSync(chance);
    high = fortyBits(0);
    low = fortyBits(5);
  } else if (++low === FORTY_BITS) {
    // The clock stood still or went back: keep counting in the last millisecond seen, so order holds.
    low = 0;
    high = (high + 1) % FORTY_BITS;
  }
  return `${prefix}_${timePart}${encode(high, 8)}${encode(low, 8)}`;
}

/** The smallest id of that moment: ids below it are older. */
export function idFloor(prefix: IdPrefix, epochMs: number): string {
  return `${prefix}_${encode(Math.max(0, Math.floor(epochMs)), 10)}${'0'.repeat(16)}`;
}

/** When an id was made. Only for ids of our own making. */
export function idTime(id: string): number {
  let ms = 0;
  for (const character of id.slice(id.indexOf('_') + 1).slice(0, 10)) {
    ms = ms * 32 + ALPHABET.indexOf(character);
  }
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

function encode(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) {
    text = ALPHABET[rest % 32] + text;
  }
  return text;
}
