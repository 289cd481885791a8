/**
 * While senders queue for the disk, work that is kept already is begun in small steps, so that they get most of the
 * machine: what they were promised nothing for yet goes first. Where nobody queues there is no limit.
 */
interface GiveWay {
  /** How many more may be begun now. */
  room(): number;
  began(events: number): void;
  /** Calls back when there is room again, once for however many ask. */
  later(callback: () => void): void;
}

/** So many runs keep a core busy for some ten milliseconds: two such steps side by side leave senders three quarters. */
const MOST_IN_A_STEP = 128;
const STEP_MS = 80;

export function createGiveWay(
  mustGiveWay: () => boolean,
  now: () => number = () => performance.now(),
): GiveWay {
  let stepEnds = 0;
  let left = 0;
  let isAwaited = false;

  return {
    room() {
      if (!mustGiveWay()) return Number.POSITIVE_INFINITY;
      if (now() >= stepEnds) {
        stepEnds = now() + STEP_MS;
        left = MOST_IN_A_STEP;
      }
      return left;
    },
    began(events) {
      left = Math.max(0, left - events);
    },
    later(callback) {
      if (isAwaited) return;
      isAwaited = true;
      const open = () => {
        isAwaited = false;
        // A timer may be a little early.
        stepEnds = 0;
        callback();
      };
      setTimeout(open, Math.max(0, stepEnds - now()));
    },
  };
}
