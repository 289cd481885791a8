import { z } from 'zod';
import { failureCodes } from './failure.ts';

/**
 * What a `listener` destination and `sluice listen` say to each other. The service sends server-sent events down one
 * connection, `GET /listen`; each delivery is answered with a `POST /listen/results`. Both show the destination's token.
 */
export const LISTEN_PATH = '/listen';
export const LISTEN_RESULTS_PATH = '/listen/results';
/** Where the command says what it forwards to, for people to see beside each attempt. */
export const FORWARD_HEADER = 'x-sluice-forward';

/** How much of a local server's answer is sent back, in characters. */
export const MOST_ANSWERED = 16 * 1024;

/** `event: ready`: the connection is open. */
export const listenReady = z.object({
  /** Names the connection in every result. */
  connection: z.string(),
  destination: z.object({ id: z.string(), name: z.string() }),
});
export type ListenReady = z.infer<typeof listenReady>;

/** `event: delivery`: to be sent to the local server as it is. */
export const listenDelivery = z.object({
  id: z.string(),
  attempt: z.number(),
  event: z.object({ id: z.string(), type: z.string() }),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  /** The local server has so long to answer; that it has not is a result too. */
  timeout_ms: z.number(),
});
export type ListenDelivery = z.infer<typeof listenDelivery>;

/** `event: end`: the service closes the connection, and whether it may be opened again. */
export const listenEnd = z.object({ message: z.string(), final: z.boolean() });
export type ListenEnd = z.infer<typeof listenEnd>;

/** What became of a delivery at the local server. */
export const listenResult = z.strictObject({
  connection: z.string().min(1).max(64),
  delivery: z.string().min(1).max(64),
  duration_ms: z.number().min(0).max(86_400_000),
  outcome: z.union([
    z.strictObject({
      status: z.number().int().min(100).max(999),
      body: z.string().max(MOST_ANSWERED),
      retry_after: z.string().max(100).nullable(),
    }),
    z.strictObject({ code: z.enum(failureCodes), message: z.string().min(1).max(500) }),
  ]),
});
export type ListenResult = z.infer<typeof listenResult>;
export type ListenOutcome = ListenResult['outcome'];
