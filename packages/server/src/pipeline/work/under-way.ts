import type { ClaimedEvent, ClaimInput } from '../../core/stores/event-queue.ts';

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

interface Load {
  events: number;
  bytes: number;
}

const MOST_AT_ONCE = 256;
const MOST_WORKING: Load = { events: 1_024, bytes: 32 * 1024 * 1024 };
/** Even with a whole batch on top of it there is room for others. */
const MOST_WORKING_OF_ONE = 512;
/** What is taken from memory ends before what is claimed does, so that there is always a claim's worth of room left. */
const MOST_FROM_MEMORY = 640;
const MOST_FROM_MEMORY_OF_ONE = 384;
const MOST_WAITING_OF_ONE: Load = { events: 256, bytes: 8 * 1024 * 1024 };
/** From here on only those who wait for nobody yet get more. */
const MOST_WAITING: Load = { events: 4_096, bytes: 64 * 1024 * 1024 };

export function createUnderWay(): UnderWay {
  const tokens = new Map<string, number>();
  const working = newLoad();
  const waiting = newLoad();
  const workingOf = new Map<string, Load>();
  const waitingOf = new Map<string, Load>();

  const hasEnough = (orgId: string, most = MOST_WORKING_OF_ONE): boolean => {
    const own = waitingOf.get(orgId);
    if ((workingOf.get(orgId)?.events ?? 0) >= most) return true;
    return own !== undefined && (reaches(own, MOST_WAITING_OF_ONE) || reaches(waiting, MOST_WAITING));
  };

  return {
    begin({ orgId, token, payload }) {
      const { length } = payload;
      let [total, ofEach] = [working, workingOf];
      tokens.set(token, (tokens.get(token) ?? 0) + 1);
      const move = (by: 1 | -1) => {
        add(total, by, length);
        const own = ofEach.get(orgId) ?? newLoad();
        add(own, by, length);
        if (own.events > 0) ofEach.set(orgId, own);
        else ofEach.delete(orgId);
      };
      move(1);
      return {
        waits() {
          move(-1);
          [total, ofEach] = [waiting, waitingOf];
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
    count: () => working.events + waiting.events,
    tokens: () => [...tokens.keys()],
    hasRoomForOne: () => working.events < MOST_FROM_MEMORY && working.bytes < MOST_WORKING.bytes / 2,
    hasEnough: orgId => hasEnough(orgId, MOST_FROM_MEMORY_OF_ONE),
    hasRoom: () => working.events <= MOST_WORKING.events - MOST_AT_ONCE && working.bytes < MOST_WORKING.bytes,
    room: () => ({
      limit: Math.min(MOST_AT_ONCE, MOST_WORKING.events - working.events),
      bytes: MOST_WORKING.bytes - working.bytes,
      except: [...new Set([...workingOf.keys(), ...waitingOf.keys()])].filter(orgId => hasEnough(orgId)),
    }),
  };
}

const newLoad = (): Load => ({ events: 0, bytes: 0 });

function add(load: Load, by: 1 | -1, bytes: number): void {
  load.events += by;
  load.bytes += by * bytes;
}

const reaches = (load: Load, most: Load): boolean => load.events >= most.events || load.bytes >= most.bytes;
