/** A run is stored once and makes each of its deliveries once: an index of its own watched over that a second time. */
export const fewerIndexes = [`DROP INDEX deliveries_once`];
