import { RE2JS, RE2JSException } from 're2js';
import { ExpressionError } from '../expression-error.ts';
import type { Budget } from './budget.ts';

/**
 * `re2(text, pattern)`: regular expressions that take linear time. Linear is not yet quick: a counted repetition
 * over a megabyte takes seconds. So where text and pattern are large together, the engine reads the text through a
 * meter that stops it when the budget is spent.
 */
interface Pattern {
  test(text: string, budget: Budget): boolean;
}

const LONGEST_PATTERN = 1_000;
/** Counted repetition multiplies: `((a{30}){30}){30}` is short to write. */
const LARGEST_PROGRAM = 10_000;
/** Characters times instructions; up to here a match takes a few milliseconds at worst. */
const UNMETERED = 40_000;

export function compilePattern(pattern: string): Pattern {
  if (pattern.length > LONGEST_PATTERN)
    throw new ExpressionError(`A pattern may have at most ${LONGEST_PATTERN} characters`, 0);
  const compiled = read(pattern);
  const size = compiled.programSize();
  if (size > LARGEST_PROGRAM)
    throw new ExpressionError('This pattern repeats too much: its counted repetitions multiply', 0);
  return {
    test(text, budget) {
      if (text.length * size <= UNMETERED) {
        budget.spend(text.length + 8);
        return compiled.test(text);
      }
      // It may look for a fixed part of the pattern first, past the meter.
      budget.scan(text);
      // The engine takes whatever is a string by its tag, and reads it with `charCodeAt` alone.
      return compiled.test(new MeteredText(text, size, budget) as unknown as string);
    },
  };
}

function read(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException)
      throw new ExpressionError(`This is not an RE2 pattern: ${error.message}`, 0);
    throw error;
  }
}

const READS_A_STEP = 64;

class MeteredText extends String {
  private reads = 0;

  constructor(
    private readonly text: string,
    private readonly programSize: number,
    private readonly budget: Budget,
  ) {
    super(text);
  }

  override charCodeAt(index: number): number {
    if (++this.reads === READS_A_STEP) {
      this.reads = 0;
      this.budget.spend(READS_A_STEP * this.programSize);
    }
    return this.text.charCodeAt(index);
  }
}
