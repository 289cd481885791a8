import '@xyflow/react/dist/style.css';
import { useComputedColorScheme } from '@mantine/core';
import type { MapRecord } from '@sluice/contract/dashboard-overview';
import { ReactFlow } from '@xyflow/react';
import { useMemo } from 'react';
import { Empty } from '../../components/empty.tsx';
import { PartWaiting } from '../../components/page-states.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import classes from './flow-map.module.css';
import { MapArrow } from './map-arrow.tsx';
import { placeNodes } from './map-layout.ts';
import { MapNode } from './map-node.tsx';
import { drawMap } from './map-parts.ts';
import { queryOfRange, type Range } from './ranges.ts';

const nodeTypes = { part: MapNode };
const edgeTypes = { arrow: MapArrow };
const MARGIN = 16;
const VIEWPORT = { x: MARGIN, y: MARGIN, zoom: 1 };

/** Sources, pipelines and destinations, left to right, with what goes along each arrow. */
export default function FlowMap({ range }: { range: Range }) {
  const map = useCall('GET /map', queryOfRange(range), { live: true, keep: true });
  if (!map.data) return <PartWaiting reads={[map]} />;
  const { sources, pipelines, destinations } = map.data;
  if (sources.length + pipelines.length + destinations.length === 0) {
    return <Empty sentence="No sources, pipelines or destinations yet." />;
  }
  return <Drawn map={map.data} span={range.between ? '' : range.span} />;
}

/**
 * Always in its full size, so that it can be read however much there is: it scrolls as any page does, and a link
 * that is reached by keyboard comes into sight.
 */
function Drawn({ map, span }: { map: MapRecord; span: string }) {
  const scheme = useComputedColorScheme();
  const places = useMemo(() => placeNodes(map), [map]);
  const drawn = useMemo(() => drawMap(map, places, span), [map, places, span]);
  const size = { width: places.width + 2 * MARGIN, height: places.height + 2 * MARGIN };

  return (
    <div className={classes.canvas}>
      <div className={classes.drawing} style={size}>
        <ReactFlow
          nodes={drawn.nodes}
          edges={drawn.edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          colorMode={scheme}
          viewport={VIEWPORT}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          panOnDrag={false}
          zoomOnScroll={false}
          zoomOnPinch={false}
          zoomOnDoubleClick={false}
          preventScrolling={false}
          aria-label="Map of sources, pipelines and destinations"
        />
      </div>
    </div>
  );
}
