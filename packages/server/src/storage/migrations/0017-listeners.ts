/**
 * A destination of the kind `listener` waits for the command that connects to it. Which connection it has stands on its
 * row, as a claim of the node that holds it: what a dead node had is found by that.
 */
export const listeners = [
  `ALTER TABLE destinations ADD COLUMN listener_token TEXT`,
  `CREATE INDEX destinations_listened ON destinations (listener_token) WHERE listener_token IS NOT NULL`,
];
