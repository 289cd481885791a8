import { Switch } from '@mantine/core';
import type { ShownEntityEvent } from '@sluice/contract/entity';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { deliveriesColumn, outcomeColumn } from '../../components/events/event-columns.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import type { Column } from '../../components/rows.tsx';
import { useList } from '../../lib/api/use-call.ts';
import { useLiveList } from '../../lib/api/use-live-list.ts';
import { type EntityName, nameOf } from '../../lib/entity-path.ts';
import { commandAskingForKey } from '../../lib/shell-command.ts';
import { useFilters } from '../../lib/use-filters.ts';
import classes from './entity-events.module.css';
import { UPDATES_LATER, useIdentity } from './use-identity.ts';

const keyOf = ({ id }: ShownEntityEvent) => id;
const traceOf = ({ id, outcome, delivery_states }: ShownEntityEvent) =>
  `${id} ${outcome} ${JSON.stringify(delivery_states)}`;
const pageOf = ({ id }: ShownEntityEvent) => `/events/${id}`;

const columns: readonly Column<ShownEntityEvent>[] = [
  {
    header: 'Type',
    width: 'minmax(90px, 1fr)',
    cell: event => (
      <Link to={pageOf(event)}>
        {event.icon} {event.type}
      </Link>
    ),
  },
  outcomeColumn,
  deliveriesColumn,
  { header: 'Entity', width: 'minmax(120px, 220px)', cell: ({ entity }) => nameOf(entity), onlyWide: true },
  { header: 'Received', width: '90px', cell: ({ received_at }) => <RelativeTime at={received_at} /> },
];

/** The events of an entity, or of its whole identity. */
export function EntityEvents({ name }: { name: EntityName }) {
  const [{ identity }, setFilters] = useFilters();
  const { isOutdated } = useIdentity(name);
  const asked = { ...name, identity };
  const list = useList('GET /entities/:kind/:external_id/events', asked);
  useLiveList(list, 'GET /entities/:kind/:external_id/events', asked, traceOf);
  return (
    <Card
      title="Events"
      lead={identity === 'true' && isOutdated && UPDATES_LATER}
      actions={
        <Switch
          label="Whole identity"
          checked={identity === 'true'}
          onChange={event => setFilters({ identity: event.currentTarget.checked ? 'true' : undefined })}
        />
      }
    >
      <div className={list.rows.length > 0 ? classes.list : undefined}>
        <PagedList
          label="Events of this entity"
          list={list}
          columns={columns}
          keyOf={keyOf}
          pageOf={pageOf}
          empty={
            <Empty
              sentence="No events yet. An event names the entity that it is about."
              command={commandAskingForKey({
                url: `${window.location.origin}/v1/ingest`,
                body: { events: [{ type: `${name.kind}.seen`, entity: name }] },
              })}
            />
          }
        />
      </div>
    </Card>
  );
}
