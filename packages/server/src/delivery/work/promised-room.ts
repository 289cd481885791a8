/** Room that is kept for a delivery until it is known what became of it. */
export interface Promised {
  readonly at: number;
  /** How many withdrawals were known of. */
  readonly withdrawals: number;
  /** Once or more. */
  end(): void;
}

/** The room of a queue that is promised to deliveries which are about to be made. */
interface PromisedRoom {
  readonly count: number;
  promise(bytes: number, asOf: Omit<Promised, 'end'>): Promised;
}

export function createPromisedRoom(hold: (bytes: number) => void): PromisedRoom {
  let count = 0;
  return {
    get count() {
      return count;
    },
    promise(bytes, asOf) {
      count++;
      hold(bytes);
      let isOpen = true;
      return {
        ...asOf,
        end() {
          if (!isOpen) return;
          isOpen = false;
          count--;
          hold(-bytes);
        },
      };
    },
  };
}
