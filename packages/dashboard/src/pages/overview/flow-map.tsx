import '@xyflow/react/dist/style.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { MapRecord } from '@sluice/contract/dashboard-overview';
import { Controls, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { useEffect, useMemo } from 'react';
import { useCall } from '../../api/use-call.ts';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/page-states.tsx';
import classes from './flow-map.module.css';
import { MapNode } from './map-node.tsx';
import { drawMap } from './map-parts.ts';
import { type Places, placeNodes } from './map-places.ts';
import { type RangeName, ranges } from './ranges.ts';

const nodeTypes = { part: MapNode };
const MARGIN = 16;
/** Below this nobody can read it: then it is moved about instead. */
const SMALLEST_ZOOM = 0.55;
const TALLEST = 900;

/** Sources, pipelines and destinations, left to right, with what goes along each arrow. */
export default function FlowMap({ range }: { range: RangeName }) {
  const map = useCall<MapRecord>(`/map?minutes=${ranges[range].minutes}`, { live: true });
  if (map.error) return <ErrorNotice error={map.error} onRetry={() => void map.refetch()} />;
  if (!map.data) return <Loading />;
  const { sources, pipelines, destinations } = map.data;
  if (sources.length + pipelines.length + destinations.length === 0) {
    return <Empty sentence="There is nothing to draw yet: no source, no pipeline, no destination." />;
  }
  return (
    <ReactFlowProvider>
      <Drawn map={map.data} range={range} />
    </ReactFlowProvider>
  );
}

function Drawn({ map, range }: { map: MapRecord; range: RangeName }) {
  const { ref, width } = useElementSize();
  const scheme = useComputedColorScheme();
  const places = useMemo(() => placeNodes(map), [map]);
  const drawn = useMemo(() => drawMap(map, places, range), [map, places, range]);
  const zoom = zoomFor(width, places);
  const height = Math.min(TALLEST, places.height * zoom + 2 * MARGIN);
  useTopLeft(places, width, zoom);

  return (
    <div ref={ref} className={classes.canvas} style={{ height }}>
      <ReactFlow
        nodes={drawn.nodes}
        edges={drawn.edges}
        nodeTypes={nodeTypes}
        colorMode={scheme}
        minZoom={0.2}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        aria-label="Map of sources, pipelines and destinations"
      >
        <Controls showInteractive={false} showFitView={false} position="bottom-right" />
      </ReactFlow>
    </div>
  );
}

const zoomFor = (width: number, places: Places): number =>
  width === 0 ? 1 : Math.min(1, Math.max(SMALLEST_ZOOM, (width - 2 * MARGIN) / places.width));

/** Begins at the top, in the middle where there is room, and again whenever there is more or less to see. */
function useTopLeft(places: Places, width: number, zoom: number): void {
  const { setViewport } = useReactFlow();
  const { height, width: drawnWidth } = places;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a map that grew begins at its top again
  useEffect(() => {
    if (width === 0) return;
    const x = Math.max(MARGIN, (width - drawnWidth * zoom) / 2);
    void setViewport({ x, y: MARGIN, zoom });
  }, [setViewport, width, drawnWidth, zoom, height]);
}
