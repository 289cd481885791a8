import type { ClaimedEvent, ClaimInput } from '../../core/stores/event-queue.ts';
import { createTally, type Load } from './tally.ts';

/**
 * What the worker has in hand, of whom, and how much more it may claim. Events that may wait for a server that is not
 * ours are counted apart from those that only need the thread: one that hangs holds them for its whole timeout, and
 * nobody but its own organisation may notice.
 */
interface UnderWay {
  /** Counts until it is ended. */
  begin(claimed: ClaimedEvent): Ending;
  count(): number;
  tokens(): string[];
  /** For one more of what was accepted here, and whether an organisation has enough of that. */
  hasRoomForOne(): boolean;
  hasEnough(orgId: string): boolean;
  /** For a batch that is worth a claim. */
  hasRoom(): boolean;
  room(): Pick<ClaimInput, 'limit' | 'bytes' | 'except'>;
}

export interface Ending {
  /** It may have to wait for somebody else's server from now on. */
  waits(): void;
  /** Answers whether its organisation may claim again, and could not before. */
  end(): boolean;
}

const MOST_AT_ONCE = 256;
const MOST_WORKING: Load = { events: 1_024, bytes: 32 * 1024 * 1024 };
/** Even with a whole batch on top of it there is room for others. */
const MOST_WORKING_OF_ONE = 512;
/** Of those that work, what was taken from memory: there is always a claim's worth of room beside it, and it beside claims. */
const MOST_FROM_MEMORY: Load = { events: 640, bytes: 16 * 1024 * 1024 };
const MOST_FROM_MEMORY_OF_ONE = 384;
const MOST_WAITING_OF_ONE: Load = { events: 256, bytes: 8 * 1024 * 1024 };
/** From here on only those who wait for nobody yet get more. */
const MOST_WAITING: Load = { events: 4_096, bytes: 64 * 1024 * 1024 };

export function createUnderWay(): UnderWay {
  const tokens = new Map<string, number>();
  const working = createTally();
  const fromMemory = createTally();
  const waiting = createTally();

  const waitsEnough = (orgId: string): boolean => {
    const own = waiting.of(orgId);
    return own.events > 0 && (reaches(own, MOST_WAITING_OF_ONE) || reaches(waiting.all, MOST_WAITING));
  };
  const hasEnough = (orgId: string): boolean =>
    working.of(orgId).events >= MOST_WORKING_OF_ONE || waitsEnough(orgId);

  return {
    begin({ orgId, token, payload, isBornClaimed }) {
      const load = { events: 1, bytes: payload.length };
      let isWaiting = false;
      tokens.set(token, (tokens.get(token) ?? 0) + 1);
      const move = (by: 1 | -1) => {
        (isWaiting ? waiting : working).add(orgId, load, by);
        if (isBornClaimed && !isWaiting) fromMemory.add(orgId, load, by);
      };
      move(1);
      return {
        waits() {
          move(-1);
          isWaiting = true;
          move(1);
        },
        end() {
          const hadEnough = hasEnough(orgId);
          move(-1);
          const left = (tokens.get(token) ?? 0) - 1;
          if (left > 0) tokens.set(token, left);
          else tokens.delete(token);
          return hadEnough && !hasEnough(orgId);
        },
      };
    },
    count: () => working.all.events + waiting.all.events,
    tokens: () => [...tokens.keys()],
    hasRoomForOne: () => !reaches(fromMemory.all, MOST_FROM_MEMORY),
    hasEnough: orgId => fromMemory.of(orgId).events >= MOST_FROM_MEMORY_OF_ONE || waitsEnough(orgId),
    hasRoom: () =>
      working.all.events <= MOST_WORKING.events - MOST_AT_ONCE && working.all.bytes < MOST_WORKING.bytes,
    room: () => ({
      limit: Math.min(MOST_AT_ONCE, MOST_WORKING.events - working.all.events),
      bytes: MOST_WORKING.bytes - working.all.bytes,
      except: [...new Set([...working.owners(), ...waiting.owners()])].filter(hasEnough),
    }),
  };
}

const reaches = (load: Readonly<Load>, most: Load): boolean =>
  load.events >= most.events || load.bytes >= most.bytes;
