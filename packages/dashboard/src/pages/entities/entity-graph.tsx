import { Alert, Text } from '@mantine/core';
import type { EntityGraphRecord } from '@sluice/contract/entity';
import { Suspense, useMemo } from 'react';
import { Loading, PartWaiting } from '../../components/page-states.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import type { EntityName } from '../../lib/entity-path.ts';
import { lazily } from '../../lib/lazily.ts';
import { useWithoutRemoved } from '../../lib/undo/use-removals.tsx';
import classes from './entity-graph.module.css';
import { reachedFrom } from './graph-layout.ts';
import { linksOf } from './use-unlink.ts';

/** The library that draws graphs is large; it comes when there is one to draw. */
const DrawnGraph = lazily(() => import('./drawn-graph.tsx'));

/** An entity and what it is linked to. */
export function EntityGraph({ name, depth }: { name: EntityName; depth: string }) {
  const graph = useCall('GET /entities/:kind/:external_id/graph', { ...name, depth });
  const shown = useShown(name, graph.data);
  if (!shown) return <PartWaiting reads={[graph]} />;
  if (shown.edges.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No links yet.
      </Text>
    );
  }
  return (
    <>
      {shown.truncated && (
        <Alert color="yellow" mb="sm">
          Too many to draw: {shown.nodes.length} entities are shown.
        </Alert>
      )}
      <div className={classes.canvas}>
        <Suspense fallback={<Loading />}>
          <DrawnGraph graph={shown} here={name} />
        </Suspense>
      </div>
    </>
  );
}

/** Without the links that are shown as removed, and what only they led to. */
function useShown(name: EntityName, graph: EntityGraphRecord | undefined): EntityGraphRecord | undefined {
  const edges = useWithoutRemoved(linksOf(name), graph?.edges);
  return useMemo(() => {
    if (graph === undefined || edges === undefined || edges === graph.edges) return graph;
    return { ...graph, ...reachedFrom(name, graph.nodes, edges) };
  }, [graph, edges, name]);
}
