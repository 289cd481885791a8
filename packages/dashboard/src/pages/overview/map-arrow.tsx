import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import classes from './flow-map.module.css';
import { drawnPath } from './map-curves.ts';
import type { ArrowEdge } from './map-parts.ts';

/** An arrow with its number beside it. What there is no room for is told where it is pointed at. */
export function MapArrow({ id, data, markerEnd, style }: EdgeProps<ArrowEdge>) {
  if (!data) return null;
  const { curve, label, labelAt, title } = data;
  return (
    <>
      <g>
        <title>{title}</title>
        <BaseEdge
          id={id}
          path={drawnPath(curve)}
          {...(markerEnd ? { markerEnd } : {})}
          {...(style ? { style } : {})}
        />
      </g>
      {labelAt && (
        <EdgeLabelRenderer>
          <span
            className={`${classes.rate} numbers`}
            style={{ transform: `translate(-50%, -50%) translate(${labelAt.x}px, ${labelAt.y}px)` }}
          >
            {label}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
}
