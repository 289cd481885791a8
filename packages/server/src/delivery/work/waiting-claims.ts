import { Fifo } from '../../core/work/fifo.ts';
import type { OwnClaim } from './claim.ts';

/** So many that were handed over go out for each that was claimed, where both wait. */
const HANDED_OVER_PER_CLAIMED = 3;

/** What waits in a queue, in two lines that take turns: what was claimed from storage, and what was handed over. */
export class WaitingClaims implements Iterable<OwnClaim> {
  readonly #claimed = new Fifo<OwnClaim>();
  readonly #handedOver = new Fifo<OwnClaim>();
  /** How many that were handed over have gone out since the last that was claimed. */
  #inARow = 0;

  get length(): number {
    return this.#claimed.length + this.#handedOver.length;
  }

  get claimedLength(): number {
    return this.#claimed.length;
  }

  get firstClaimed(): OwnClaim | undefined {
    return this.#claimed.first;
  }

  /** What goes out next: a probe at once, and otherwise the lines take turns. */
  get first(): OwnClaim | undefined {
    return this.#nextLine().first;
  }

  push(claim: OwnClaim): void {
    (claim.isHandedOver ? this.#handedOver : this.#claimed).push(claim);
  }

  /** Takes the first out. */
  shift(): void {
    const line = this.#nextLine();
    line.shift();
    this.#inARow = line === this.#handedOver ? this.#inARow + 1 : 0;
  }

  /** The first few of each line, which stay. */
  peek(few: number): OwnClaim[] {
    return [...this.#claimed.peek(few), ...this.#handedOver.peek(few)];
  }

  remove(which: (claim: OwnClaim) => boolean): OwnClaim[] {
    return [...this.#claimed.remove(which), ...this.#handedOver.remove(which)];
  }

  *[Symbol.iterator](): Iterator<OwnClaim> {
    yield* this.#claimed;
    yield* this.#handedOver;
  }

  #nextLine(): Fifo<OwnClaim> {
    const { first } = this.#claimed;
    if (first === undefined) return this.#handedOver;
    const isTurn = first.probe !== null || this.#inARow >= HANDED_OVER_PER_CLAIMED;
    return isTurn || this.#handedOver.first === undefined ? this.#claimed : this.#handedOver;
  }
}
