import { invalid, type Problem } from '../errors.ts';

/** A text of a user's making that does not read: what is wrong with it, and at which character. */
export class ExpressionError extends Error {
  constructor(
    message: string,
    /** Counted from 0, in UTF-16 units, as an editor's cursor is. */
    readonly position: number,
  ) {
    super(message);
    this.name = 'ExpressionError';
  }

  /** The same mistake, seen from a longer text that holds this one. */
  within(offset: number): ExpressionError {
    return new ExpressionError(this.message, this.position + offset);
  }
}

/** Runs what reads a part of a text, and sees its mistakes from the beginning of all. */
export function readWithin<T>(offset: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ExpressionError ? error.within(offset) : error;
  }
}

/** Runs what reads a text at `path`, and turns its mistakes into a 400 that points at the character. */
export function readAt<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ExpressionError) throw pointAt(path, error);
    throw error;
  }
}

const pointAt = (path: string, error: ExpressionError): Problem =>
  invalid(path, `${path}: ${error.message} (at character ${error.position + 1}).`);
