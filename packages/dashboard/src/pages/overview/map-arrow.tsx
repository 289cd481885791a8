import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from '@xyflow/react';
import classes from './flow-map.module.css';
import type { ArrowEdge } from './map-parts.ts';

/** An arrow, with its number above all arrows: where many cross, it can still be read. */
export function MapArrow({ id, data, markerEnd, style, ...ends }: EdgeProps<ArrowEdge>) {
  const [path, x, y] = getBezierPath(ends);
  return (
    <>
      <BaseEdge id={id} path={path} {...(markerEnd ? { markerEnd } : {})} {...(style ? { style } : {})} />
      {data?.label && (
        <EdgeLabelRenderer>
          <span
            className={`${classes.rate} numbers`}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
          >
            {data.label}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
}
