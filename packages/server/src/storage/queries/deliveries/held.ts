import { type SqlBool, sql } from 'kysely';

/** Whether what waits for a destination is held: it is paused, or it is a listener that nobody is connected to. */
export const isHeld = sql<SqlBool>`(destinations.paused = 1
  OR (destinations.kind = 'listener' AND destinations.listener_token IS NULL))`;

/** Whether somebody can have a probe sent: it is down, nothing holds what waits, and none is under way. */
export const canProbe = (
  at: number,
) => sql<SqlBool>`(destinations.breaker_opened_at IS NOT NULL AND NOT ${isHeld}
  AND (destinations.probe_until IS NULL OR destinations.probe_until <= ${at}))`;
