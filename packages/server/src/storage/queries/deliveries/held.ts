import { type SqlBool, sql } from 'kysely';

/** Whether what waits for a destination is held: it is paused, or it is a listener that nobody is connected to. */
export const isHeld = sql<SqlBool>`(destinations.paused = 1
  OR (destinations.kind = 'listener' AND destinations.listener_token IS NULL))`;
