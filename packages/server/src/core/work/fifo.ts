/** First in, first out. Taking the first costs the same however many there are. */
export class Fifo<T> implements Iterable<T> {
  #items: T[] = [];
  /** Where the first is: those before were taken. */
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  get first(): T | undefined {
    return this.#items[this.#head];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const first = this.#items[this.#head];
    if (first === undefined) return undefined;
    // What was taken is not kept until it is cut off.
    this.#items[this.#head++] = undefined as T;
    if (this.#head >= CUT_OFF_AT) this.#cutOff();
    return first;
  }

  /** The first few, which stay. */
  peek(count: number): T[] {
    return this.#items.slice(this.#head, this.#head + count);
  }

  /** Takes these out, wherever they are. */
  remove(which: (item: T) => boolean): T[] {
    const [removed, kept]: [T[], T[]] = [[], []];
    for (const item of this) (which(item) ? removed : kept).push(item);
    this.#items = kept;
    this.#head = 0;
    return removed;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let at = this.#head; at < this.#items.length; at++) yield this.#items[at] as T;
  }

  #cutOff(): void {
    this.#items.splice(0, this.#head);
    this.#head = 0;
  }
}

const CUT_OFF_AT = 512;
