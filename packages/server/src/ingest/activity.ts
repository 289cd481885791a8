import type { Clock } from '../core/clock.ts';
import type { Problem } from '../core/errors.ts';
import type { Rejection } from '../core/stores/configuration/sources.ts';
import type { ConfigurationStore } from '../core/stores/configuration.ts';

/**
 * What the dashboard shows of the ingest endpoints: last use of keys, last event of sources, requests that were
 * refused. Kept in memory and written every so often, so that a flood of bad requests costs no disk.
 */
export interface ActivityLog {
  keyUsed(id: string): void;
  sourceSeen(id: string): void;
  refused(source: { id: string; orgId: string }, problem: Problem, sender: RefusedSender): void;
  flush(): Promise<void>;
}

/** Who sent what was refused, as far as that may be kept. */
type RefusedSender = Pick<Rejection, 'address' | 'headers'>;

const MOST_BUFFERED_PER_SOURCE = 1_000;

export function createActivityLog(
  configuration: Pick<ConfigurationStore, 'recordActivity'>,
  clock: Clock,
  onRefused: (source: { readonly id: string; readonly orgId: string }) => void,
): ActivityLog {
  let keys = new Map<string, number>();
  let sources = new Map<string, number>();
  let rejections = new Map<string, Rejection[]>();

  return {
    keyUsed: id => void keys.set(id, clock.now()),
    sourceSeen: id => void sources.set(id, clock.now()),
    refused(source, problem, { address, headers }) {
      onRefused(source);
      const list = rejections.get(source.id) ?? [];
      rejections.set(source.id, list);
      list.push({
        sourceId: source.id,
        orgId: source.orgId,
        at: clock.now(),
        code: problem.code,
        message: problem.reason ?? problem.message,
        address,
        headers,
      });
      if (list.length > MOST_BUFFERED_PER_SOURCE) list.shift();
    },
    async flush() {
      if (keys.size + sources.size + rejections.size === 0) return;
      const taken = { keys, sources, rejections };
      keys = new Map();
      sources = new Map();
      rejections = new Map();
      const pairs = (map: Map<string, number>) => Array.from(map, ([id, at]) => ({ id, at }));
      try {
        await configuration.recordActivity({
          keysUsed: pairs(taken.keys),
          sourcesSeen: pairs(taken.sources),
          rejections: [...taken.rejections.values()].flat(),
        });
      } catch (error) {
        // It goes with the next flush. What came meanwhile is later than what was not written.
        keys = new Map([...taken.keys, ...keys]);
        sources = new Map([...taken.sources, ...sources]);
        for (const [id, later] of rejections) {
          taken.rejections.set(
            id,
            [...(taken.rejections.get(id) ?? []), ...later].slice(-MOST_BUFFERED_PER_SOURCE),
          );
        }
        rejections = taken.rejections;
        throw error;
      }
    },
  };
}
