import type { DeadLetter } from '@sluice/contract/dashboard-letters';
import { CallError, call, prepareCall } from '../../lib/api/call.ts';
import { useChange } from '../../lib/api/use-call.ts';
import { notifyError } from '../../lib/notify-error.ts';
import { slugOfTab } from '../../lib/organisation.ts';
import type { Removal } from '../../lib/undo/removals.ts';
import { usePendingRemovals, useRemovals } from '../../lib/undo/use-removals.tsx';
import { coversGroup, type DeadLetterFilter, type LetterGroup, matchesFilter } from './letter-filter.ts';

/** What can be done with several dead letters: those that match, or those that were selected. */
interface LetterActions {
  /** Answers whether it has begun; where not, it is said why. */
  retryMatching(filter: DeadLetterFilter): Promise<boolean>;
  retrySelected(letters: readonly DeadLetter[]): Promise<boolean>;
  /** `what` says which, as the notice has it. */
  discardMatching(filter: DeadLetterFilter, what: string): void;
  discardSelected(letters: readonly DeadLetter[]): void;
  readonly isRetrying: boolean;
}

const LIST = '/dead-letters';
/** Not asked for from the server: what a pending discard leaves of a group. */
const GROUPS = `${LIST}/groups`;

const idsOf = (letters: readonly DeadLetter[]) => letters.map(({ id }) => id);

export function useLetters(onJob: (id: string) => void): LetterActions {
  const removals = useRemovals();
  const retry = useChange('POST /dead-letters/retry');
  const start = async (body: Parameters<typeof retry.mutateAsync>[0]['body']) => {
    try {
      // What is shown as discarded must not be sent again.
      await removals.flush(false);
      onJob((await retry.mutateAsync({ body })).id);
      return true;
    } catch (error) {
      notifyError(error);
      return false;
    }
  };
  /** What has died since somebody asked nobody has seen: it stays. */
  const byJob = (body: { filter?: DeadLetterFilter; ids?: string[] }): Removal['carryOut'] => {
    const send = prepareCall('POST /dead-letters/discard', { body });
    const slug = slugOfTab();
    return async ({ isLeaving, afterMs }) => {
      const dead_for_ms = Math.min(Math.round(afterMs), LONGEST_MS);
      const { id } = await send({ keepalive: isLeaving, body: { ...body, dead_for_ms } });
      if (!isLeaving) await ended(id, slug);
    };
  };
  return {
    isRetrying: retry.isPending,
    retryMatching: filter => start({ filter }),
    retrySelected: letters => start({ ids: idsOf(letters) }),
    discardMatching(filter, what) {
      removals.add({
        message: `${what} discarded`,
        hides: (list, row) =>
          list === LIST
            ? matchesFilter(row as DeadLetter, filter)
            : list === GROUPS && coversGroup(filter, row as LetterGroup),
        carryOut: byJob({ filter }),
      });
    },
    discardSelected(letters) {
      const ids = idsOf(letters);
      const [only, ...others] = letters;
      if (only === undefined) return;
      removals.add({
        message: `${others.length === 0 ? '1 dead letter' : `${ids.length} dead letters`} discarded`,
        hides: (list, row) => list === LIST && ids.includes((row as DeadLetter).id),
        rows: letters,
        carryOut: others.length === 0 ? atOnce(only) : byJob({ ids }),
      });
    },
  };
}

function atOnce({ kind, id }: DeadLetter): Removal['carryOut'] {
  const send = prepareCall(
    kind === 'delivery' ? 'POST /deliveries/:id/discard' : 'POST /events/:id/discard',
    {
      id,
    },
  );
  return ({ isLeaving }) => send({ keepalive: isLeaving });
}

/** As the call takes it; a computer may have slept meanwhile. */
const LONGEST_MS = 600_000;
const LOOKS_MS = 300;

/**
 * Until then the rows are still there, and would come back for a moment. Whoever has gone to a page of another organisation
 * sees none of them.
 */
async function ended(id: string, slug: string | null): Promise<void> {
  while (slugOfTab() === slug && (await isRunning(id)))
    await new Promise(resolve => setTimeout(resolve, LOOKS_MS));
}

async function isRunning(id: string): Promise<boolean> {
  try {
    const { state } = await call('GET /jobs/:id', { id });
    if (state === 'failed') throw new Error('The job has failed. Its page says why.');
    return state === 'running';
  } catch (error) {
    // The job goes on while nobody can be asked.
    if (error instanceof CallError && error.status === 0) return true;
    throw error;
  }
}

/** The groups without what is shown as discarded. */
export function useGroupsLeft(groups: readonly LetterGroup[]): LetterGroup[] {
  const pending = usePendingRemovals();
  const gone = pending.flatMap(({ rows = [] }) => rows as readonly DeadLetter[]);
  return groups.flatMap(group => {
    if (pending.some(removal => removal.hides(GROUPS, group))) return [];
    const count = group.count - gone.filter(letter => matchesFilter(letter, group.filter)).length;
    return count > 0 ? [{ ...group, count }] : [];
  });
}
