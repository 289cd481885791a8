/**
 * HMAC-SHA-256, written out because it has to answer at once in every runtime: the Web Crypto API answers with a
 * promise, and whoever forgets to await the verdict on a signature would let everything through.
 */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK);
  block.set(key.length > BLOCK ? sha256(key) : key);
  const inner = sha256(
    concat(
      block.map(byte => byte ^ 0x36),
      message,
    ),
  );
  return sha256(
    concat(
      block.map(byte => byte ^ 0x5c),
      inner,
    ),
  );
}

const BLOCK = 64;

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

const PRIMES = firstPrimes(64);
/** The first 32 bits of the fractional parts of the primes' roots, as FIPS 180-4 defines its constants. */
const ROUNDS = Uint32Array.from(PRIMES, prime => fraction(Math.cbrt(prime)));
const INITIAL = Uint32Array.from(PRIMES.slice(0, 8), prime => fraction(Math.sqrt(prime)));

function sha256(message: Uint8Array): Uint8Array {
  const bitLength = message.length * 8;
  const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK) * BLOCK);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bitLength / 2 ** 32));
  view.setUint32(padded.length - 4, bitLength >>> 0);

  const state = Uint32Array.from(INITIAL);
  const schedule = new Uint32Array(64);
  for (let offset = 0; offset < padded.length; offset += BLOCK) {
    for (let i = 0; i < 16; i++) schedule[i] = view.getUint32(offset + i * 4);
    compress(state, schedule);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (let i = 0; i < 8; i++) digest.setUint32(i * 4, at(state, i));
  return new Uint8Array(digest.buffer);
}

function compress(state: Uint32Array, w: Uint32Array): void {
  for (let i = 16; i < 64; i++) {
    const early = at(w, i - 15);
    const late = at(w, i - 2);
    const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    w[i] = at(w, i - 16) + s0 + at(w, i - 7) + s1;
  }
  let a = at(state, 0);
  let b = at(state, 1);
  let c = at(state, 2);
  let d = at(state, 3);
  let e = at(state, 4);
  let f = at(state, 5);
  let g = at(state, 6);
  let h = at(state, 7);
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(ROUNDS, i) + at(w, i)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state.set([a, b, c, d, e, f, g, h].map((value, i) => at(state, i) + value));
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));
const at = (words: Uint32Array, i: number): number => words[i] ?? 0;

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every(prime => n % prime !== 0)) primes.push(n);
  return primes;
}
