import type { EventSummary } from '@sluice/contract/dashboard-events';
import { useEffect, useRef, useState } from 'react';
import type { EventQuery } from '../../../components/events/use-event-query.ts';
import { followEvents } from '../../../lib/api/tail.ts';
import { type List, PAGE_SIZE } from '../../../lib/api/use-call.ts';
import { useMovedOn } from '../../../lib/api/use-moved-on.ts';

/** What the list shows of what became of it. */
const shownOf = ({ state, outcome, delivery_states }: EventSummary): string =>
  `${state} ${outcome} ${JSON.stringify(delivery_states)}`;

/**
 * Follows what comes in that belongs to the list. While nobody would be disturbed the list refreshes itself; otherwise
 * this answers whether there is something newer to show.
 */
export function useNewer(query: EventQuery, list: List<EventSummary>, isAtRest: boolean): boolean {
  const [hasNewer, setHasNewer] = useState(false);
  const mayTurn = isAtRest && list.pages <= 1;
  const now = useRef({ list, mayTurn });
  now.current = { list, mayTurn };

  const { after, before, ...filter } = query;
  useMovedOn(list.key, after, () => {
    if (mayTurn) list.refresh();
  });
  // New events come in where a span ends, so that its moving start needs no new stream.
  const followed = before === undefined ? JSON.stringify(filter) : null;
  useEffect(() => {
    setHasNewer(false);
    // What comes from now on is too new for it.
    if (followed === null) return;
    return followEvents(JSON.parse(followed) as EventQuery, null, {
      onNews({ rows: sent, changed = [] }) {
        const { list, mayTurn } = now.current;
        const shown = new Map(list.rows.slice(0, PAGE_SIZE).map(row => [row.id, shownOf(row)]));
        // What a retry has delivered long after it came.
        const late = changed.filter(({ id }) => shown.has(id));
        if ([...sent, ...late].every(row => shown.get(row.id) === shownOf(row))) return;
        if (mayTurn) list.refresh();
        else if (sent.some(({ id }) => !shown.has(id))) setHasNewer(true);
      },
      onConnected: () => undefined,
    });
  }, [followed]);

  // Back at rest, or read again: whatever was held back is shown.
  const newest = list.rows[0]?.id;
  useEffect(() => {
    if (newest !== undefined) setHasNewer(false);
  }, [newest]);
  useEffect(() => {
    if (!hasNewer || !mayTurn) return;
    // The newest may stay the same, where an older event has only changed its state.
    setHasNewer(false);
    now.current.list.refresh();
  }, [hasNewer, mayTurn]);

  return hasNewer;
}
