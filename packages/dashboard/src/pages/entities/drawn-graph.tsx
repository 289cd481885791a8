import '@xyflow/react/dist/style.css';
import { Text, useComputedColorScheme } from '@mantine/core';
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
import { type EntityName, entityPage } from '../../lib/entity-path.ts';
import classes from './entity-graph.module.css';
import { graphKey, placeEntities } from './graph-layout.ts';

/** An entity and what it is linked to, drawn. */
export default function DrawnGraph({ graph, here }: { graph: EntityGraphRecord; here: EntityName }) {
  const scheme = useComputedColorScheme();
  const drawn = useMemo(() => draw(graph, here), [graph, here]);
  return (
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
  );
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
