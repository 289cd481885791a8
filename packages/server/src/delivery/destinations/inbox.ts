import { z } from 'zod';
import { type Destination, defineDestination } from '../destination.ts';
import { cutText } from '../rendering/text.ts';

const MOST_KEPT = 64 * 1024;

/** The built-in destination: keeps what it gets, and sends nothing. */
export const inboxDestination = defineDestination({
  name: 'inbox',
  title: 'Inbox',
  docs: 'Stores what it receives for the dashboard to show and sends nothing anywhere: a place to try a pipeline.',
  config: z.strictObject({}),
  examples: [{ title: 'No configuration', config: {} }],
  prepare(): Destination {
    return {
      readsTraits: false,
      async send({ event, payload }) {
        const body = cutText(`{"type":${JSON.stringify(event.type)},"payload":${payload}}`, MOST_KEPT);
        return {
          outcome: 'delivered',
          request: { target: 'Inbox', headers: {}, body },
          status: null,
          response: null,
          durationMs: 0,
        };
      },
    };
  },
});
