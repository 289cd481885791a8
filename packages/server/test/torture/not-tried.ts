/** What a run does not try, so that nobody takes it for tried: a report ends with it, and so does `docs/trust.md`. */
export const NOT_TRIED = [
  'A clock that goes back by less than an hour: what waits for its next attempt may wait for that hour, since this cannot be told from a wait that a receiver asked for with `Retry-After`.',
  'A clock that jumps by days or weeks: whatever is kept for a time, such as senders’ keys for the retention, may expire.',
  'One node’s clock ahead of another’s: all of them jump together.',
  'A node that is killed or told to stop while it starts: signals go only to a node that has come up.',
  'Flushes that fail or are slow below PostgreSQL: of its disk, a run only tries that it is full.',
  'A backup, a restore or a move during a run.',
  'A node of an earlier version beside this one: the tests of neighbouring versions run today’s code beside an invented migration.',
  'A client that sends its next request before the last one is answered: Bun, which handles HTTP for Sluice, closes such a connection without answering either. An event accepted meanwhile stays; sent again with its key, it is answered as the same one.',
];
