/**
 * A column of a batch in PostgreSQL's binary form of a one-dimensional array. The library's own text form has to
 * quote and escape every payload, which takes ten times as long on the main thread; here bytes are only copied.
 *
 * The form, in 32-bit integers: dimensions, whether there are nulls, type of the elements, count, first index;
 * then for each element its length (-1 for null) and its bytes.
 */
const HEADER_BYTES = 20;
const TEXT_TYPE = 25;
const BIGINT_TYPE = 20;

export function textArray(values: readonly (string | null)[]): Buffer {
  let size = HEADER_BYTES;
  // At most three bytes of UTF-8 stand for one unit of a JavaScript string.
  for (const value of values) size += 4 + (value === null ? 0 : value.length * 3);
  const buffer = Buffer.allocUnsafe(size);
  let at = writeHeader(buffer, TEXT_TYPE, values.length);
  for (const value of values) {
    const length = value === null ? -1 : buffer.write(value, at + 4);
    buffer.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  }
  return buffer.subarray(0, at);
}

export function bigintArray(values: readonly number[]): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + values.length * 12);
  let at = writeHeader(buffer, BIGINT_TYPE, values.length);
  for (const value of values) {
    buffer.writeInt32BE(8, at);
    buffer.writeBigInt64BE(BigInt(value), at + 4);
    at += 12;
  }
  return buffer;
}

function writeHeader(buffer: Buffer, type: number, count: number): number {
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(1, 4);
  buffer.writeInt32BE(type, 8);
  buffer.writeInt32BE(count, 12);
  buffer.writeInt32BE(1, 16);
  return HEADER_BYTES;
}
