import { Link } from '@tanstack/react-router';
import { Handle, type NodeProps, Position } from '@xyflow/react';
import { StateBadge } from '../../components/state-badge.tsx';
import classes from './flow-map.module.css';
import type { PartNode } from './map-parts.ts';

/** A source, a pipeline or a destination on the map. It leads to its page. */
export function MapNode({ data: { column, id, name, note, waits, died, state } }: NodeProps<PartNode>) {
  return (
    <div className={classes.part} data-column={column} data-state={state ?? undefined}>
      {column !== 'sources' && (
        <Handle type="target" position={Position.Left} className={classes.handle ?? ''} />
      )}
      <Link to={`/${column}/$id`} params={{ id }} className={classes.link} title={name}>
        <span className={classes.name}>{name}</span>
        <span className={`${classes.note} numbers`}>{note}</span>
        {(waits || died) && (
          <span className={`${classes.note} numbers`}>
            {waits && <span className={classes.waits}>{waits}</span>}
            {waits && died && ' · '}
            {died && <span className={classes.died}>{died}</span>}
          </span>
        )}
      </Link>
      {state && <StateBadge state={state} />}
      {column !== 'destinations' && (
        <Handle type="source" position={Position.Right} className={classes.handle ?? ''} />
      )}
    </div>
  );
}
