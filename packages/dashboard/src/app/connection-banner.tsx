import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { answersAtAll, watchConnection } from '../lib/api/connection.ts';
import { readAllAgain } from '../lib/api/read-all-again.ts';
import { timeFormat } from '../lib/time-display.ts';
import classes from './connection-banner.module.css';

const clock = timeFormat({ timeStyle: 'medium' });

/** Says that the server is not heard, and since when what the page shows is old. */
export function ConnectionBanner() {
  const [connection] = useState(() => watchConnection(answersAtAll, document));
  const state = useSyncExternalStore(connection.subscribe, connection.read);
  const client = useQueryClient();
  const wasLost = useRef(false);
  useEffect(() => {
    // What changed meanwhile nobody was told of.
    if (state.kind === 'there' && wasLost.current) void readAllAgain(client);
    wasLost.current = state.kind === 'lost';
  }, [state, client]);
  return (
    <div role="status" aria-live="polite">
      {state.kind === 'lost' && (
        <p className={classes.banner}>
          Connection lost, retrying; figures from{' '}
          <time dateTime={new Date(state.lastHeard).toISOString()} className="numbers">
            {clock.format(state.lastHeard)}
          </time>
        </p>
      )}
    </div>
  );
}
