import { LRUCache } from 'lru-cache';
import type { LoadedPipeline } from '../definitions/definitions.ts';

const MOST_POSTED = 2_000;

/** The pipelines that were posted to a thread, by what they are; the longest unused make way for others. */
export function createPostedPipelines() {
  let evicted: string[] = [];
  let added = 0;
  const names = new LRUCache<LoadedPipeline, string>({
    max: MOST_POSTED,
    dispose: name => evicted.push(name),
  });
  return {
    nameOf: (pipeline: LoadedPipeline): string | undefined => names.get(pipeline),
    add(pipeline: LoadedPipeline): string {
      const name = `${pipeline.id} ${pipeline.version} ${++added}`;
      names.set(pipeline, name);
      return name;
    },
    /** What the thread may let go of, after the runs that were posted under these names. */
    takeEvicted(): string[] {
      const taken = evicted;
      evicted = [];
      return taken;
    },
  };
}
