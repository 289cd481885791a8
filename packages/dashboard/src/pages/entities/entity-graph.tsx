import '@xyflow/react/dist/style.css';
import { Alert, Text, useComputedColorScheme } from '@mantine/core';
import type { EntityGraphRecord } from '@sluice/contract/entity';
import { Link } from '@tanstack/react-router';
import {
  Background,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  Position,
  ReactFlow,
} from '@xyflow/react';
import { useMemo } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/page-states.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { type EntityName, entityPage } from '../../lib/entity-path.ts';
import { useWithoutRemoved } from '../../lib/undo/use-removals.tsx';
import classes from './entity-graph.module.css';
import { graphKey, placeEntities, reachedFrom } from './graph-layout.ts';
import { linksOf } from './use-unlink.ts';

/** An entity and what it is linked to, drawn. */
export default function EntityGraph({ name, depth }: { name: EntityName; depth: string }) {
  const graph = useCall('GET /entities/:kind/:external_id/graph', { ...name, depth });
  const scheme = useComputedColorScheme();
  const shown = useShown(name, graph.data);
  const drawn = useMemo(() => shown && draw(shown, name), [shown, name]);
  if (graph.error) return <ErrorNotice error={graph.error} onRetry={() => void graph.refetch()} />;
  if (!shown || !drawn) return <Loading />;
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
        <ReactFlow
          nodes={drawn.nodes}
          edges={drawn.edges}
          nodeTypes={nodeTypes}
          fitView
          minZoom={0.1}
          nodesConnectable={false}
          edgesFocusable={false}
          colorMode={scheme}
          aria-label="Links of this entity"
        >
          <Background gap={22} />
          <Controls showInteractive={false} />
        </ReactFlow>
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

type Box = Node<{ readonly name: EntityName; readonly isHere: boolean }, 'entity'>;

function EntityBox({ data: { name, isHere } }: { data: Box['data'] }) {
  return (
    <div className={classes.box} data-here={isHere || undefined}>
      <Handles type="target" />
      <Text size="xs" c="dimmed" truncate title={name.kind}>
        {name.kind}
      </Text>
      <Link to={entityPage(name)} className={classes.link}>
        {name.external_id}
      </Link>
      <Handles type="source" />
    </div>
  );
}

/** On both sides, so that an arrow leaves and arrives where the other one is. */
const Handles = ({ type }: { type: 'source' | 'target' }) =>
  [Position.Left, Position.Right].map(side => (
    <Handle key={side} id={side} type={type} position={side} className={classes.handle ?? ''} />
  ));

const nodeTypes = { entity: EntityBox };

function draw({ nodes, edges }: EntityGraphRecord, here: EntityName): { nodes: Box[]; edges: Edge[] } {
  const places = placeEntities(nodes, edges, here);
  const sideTowards = (one: EntityName, other: EntityName) =>
    (places.get(graphKey(one))?.x ?? 0) <= (places.get(graphKey(other))?.x ?? 0)
      ? Position.Right
      : Position.Left;
  return {
    nodes: nodes.map(({ kind, external_id }) => {
      const key = graphKey({ kind, external_id });
      return {
        id: key,
        type: 'entity',
        position: places.get(key) ?? { x: 0, y: 0 },
        data: { name: { kind, external_id }, isHere: key === graphKey(here) },
        focusable: false,
      };
    }),
    edges: edges.map(({ relation, from, to }) => ({
      id: [relation, graphKey(from), graphKey(to)].join('\n'),
      source: graphKey(from),
      target: graphKey(to),
      sourceHandle: sideTowards(from, to),
      targetHandle: sideTowards(to, from),
      label: relation,
      // `same_as` has no direction.
      ...(relation === 'same_as' ? {} : { markerEnd: { type: MarkerType.ArrowClosed } }),
    })),
  };
}
