import type { Clock } from '../../../core/clock.ts';
import { invalid } from '../../../core/errors.ts';
import { isId } from '../../../core/ids.ts';
import { END, type LiveFeed } from '../../../telemetry/live-feed.ts';
import type { LoginSessions } from '../access/sessions.ts';
import type { Calls } from '../calls.ts';
import { toFilter } from '../monitor/event-filter.ts';
import type { LimitedJournal } from '../monitor/search-limit.ts';
import { answerStream, isStillThere, requireStream } from './live.ts';
import { createTail, type TailedEvents } from './tail.ts';

/**
 * The tail of what comes in: each event when it is first seen, and again when its state has changed meanwhile.
 * `id` is the newest id sent, with which a browser comes back; it is then sent once more what stands around it.
 */
export function liveEventCalls(
  calls: Calls,
  parts: {
    readonly journal: Pick<LimitedJournal, 'findEvents' | 'listEvents'>;
    readonly live: LiveFeed;
    readonly sessions: LoginSessions;
    readonly clock: Clock;
  },
): void {
  const { journal, live, sessions, clock } = parts;

  calls.on('GET /live/events', 'read', async call => {
    requireStream(call);
    const { after_id, ...given } = call.query();
    const afterId = call.request.headers.get('last-event-id') ?? after_id ?? null;
    if (afterId !== null && !isId('evt', afterId))
      throw invalid('after_id', 'after_id must be the id of an event.');
    const { orgId } = call.session;
    const events: TailedEvents = {
      list: (filter, page) => journal.listEvents(orgId, filter, page, call.request.signal),
      find: ids => journal.findEvents(orgId, ids),
    };
    const look = createTail(events, { filter: toFilter(given), afterId, clock });
    const stream = answerStream(live, call.session, async () =>
      (await isStillThere(sessions, call)) ? look() : END,
    );
    return call.respond(stream);
  });
}
