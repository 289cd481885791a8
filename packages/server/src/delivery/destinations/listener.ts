import { timestamp } from '@sluice/contract/event';
import type { ListenDelivery } from '@sluice/contract/listen';
import { z } from 'zod';
import { toRfc3339 } from '../../core/clock.ts';
import { invalid } from '../../core/errors.ts';
import type { AttemptResult } from '../../core/http/attempt.ts';
import { NoLongerWanted } from '../../core/http/outgoing.ts';
import { readRetryAfter } from '../../core/http/retry-after.ts';
import { LISTENER_KIND } from '../../core/kinds/listeners.ts';
import { type Destination, defineDestination } from '../destination.ts';
import { listenerConfig, previousTokenUntil, tokensOf } from '../listeners/config.ts';
import type { SentDown } from '../listeners/connections.ts';
import { addressOfToken, newListenerToken } from '../listeners/token.ts';
import { judgeStatus } from '../post.ts';
import { cutText } from '../rendering/text.ts';
import { signBody } from '../sign.ts';

const MOST_SHOWN_BODY = 16 * 1024;

const rotated = z.object({ previous_token_until: timestamp.optional() });

/** A developer's machine: whoever runs `sluice listen` with its token gets the deliveries. */
export const listenerDestination = defineDestination({
  name: LISTENER_KIND,
  title: 'Developer’s machine',
  docs: [
    'Sends each event to a server on your own machine, through a connection that `sluice listen` holds open.',
    'Deliveries are held until the command is connected, and use no attempts until then. They arrive as those of a',
    'webhook destination do, with the same headers and the body `{"type": …, "payload": …}`, and',
    '`X-Service-Signature` is always there. What your server answers is what is recorded: anything but a 2xx is',
    'retried. A delivery whose connection is lost before its result came back is sent again, so that it may arrive',
    'twice. One command is connected at a time; a newer one takes the place of the older.',
  ].join('\n'),
  config: listenerConfig,
  secrets: ['signing_secret', 'token', 'previous_token'],
  examples: [
    {
      title: 'With the token that was created for it',
      config: {
        signing_secret: 'whsec_0123456789',
        token:
          'lsn_0123456789012345678901234567890123456789012.01JZX6C1D2E3F4G5H6J7K8M9NR01JZX6C1D2E3F4G5H6J7K8M9NP',
      },
    },
  ],

  generateSecret(given, owner) {
    if (given.token !== undefined) return null;
    const secret = newListenerToken(owner);
    return { config: { ...given, token: secret }, secret };
  },

  rotationOf(stored) {
    const read = rotated.safeParse(stored);
    return read.success ? { previousHoldsUntil: previousTokenUntil(read.data.previous_token_until) } : null;
  },

  rotate(given, previousHoldsUntil, owner) {
    const secret = newListenerToken(owner);
    const previous =
      given.token === undefined
        ? {}
        : { previous_token: given.token, previous_token_until: toRfc3339(previousHoldsUntil) };
    return { config: { signing_secret: given.signing_secret, token: secret, ...previous }, secret };
  },

  prepare(config, { listeners, clock }): Destination {
    if (config.token === undefined) throw invalid('config.token', 'config.token is required.');
    const destinationId = addressOfToken(config.token)?.id ?? '';
    return {
      readsTraits: false,
      isReachable: () => listeners.find(destinationId) !== undefined,
      async send({ id, attempt, event, payload, timeoutMs, isStillWanted }) {
        const connection = listeners.find(destinationId);
        if (connection === undefined) throw new NoLongerWanted();
        const body = `{"type":${JSON.stringify(event.type)},"payload":${payload}}`;
        const now = clock.now();
        const secrets = config.signing_secret === undefined ? tokensOf(config, now) : [config.signing_secret];
        const headers = {
          'content-type': 'application/json',
          'x-service-event-id': event.id,
          'x-service-delivery-id': id,
          'x-service-attempt': String(attempt),
          'x-service-signature': signBody(secrets, body, now),
        };
        const delivery: ListenDelivery = {
          id,
          attempt,
          event: { id: event.id, type: event.type },
          headers,
          body,
          timeout_ms: timeoutMs,
        };
        const began = performance.now();
        const sent = await connection.send(delivery, isStillWanted);
        if (sent.kind === 'not_sent') throw new NoLongerWanted();
        const request = {
          target: `POST ${connection.forward} through sluice listen`,
          headers,
          body: cutText(body, MOST_SHOWN_BODY),
        };
        return toResult(sent, request, Math.round(performance.now() - began), now);
      },
    };
  },
});

function toResult(
  sent: Exclude<SentDown, { kind: 'not_sent' }>,
  request: AttemptResult['request'],
  tookMs: number,
  now: number,
): AttemptResult {
  const unanswered = { request, status: null, response: null, retryAfterMs: null };
  if (sent.kind === 'lost') {
    const message =
      'The listener disconnected before its result came back. The delivery is sent again when one connects.';
    return {
      outcome: 'failed',
      code: 'connection_reset',
      message,
      isUnspent: true,
      durationMs: tookMs,
      ...unanswered,
    };
  }
  const { outcome, durationMs } = sent;
  if ('code' in outcome) return { outcome: 'failed', ...outcome, durationMs, ...unanswered };
  const answered = { request, status: outcome.status, response: outcome.body, durationMs };
  const verdict = judgeStatus(outcome.status);
  if (verdict === 'delivered') return { outcome: 'delivered', ...answered };
  const retryAfterMs = readRetryAfter(outcome.retry_after, now);
  return { outcome: 'failed', code: verdict.code, message: verdict.message, retryAfterMs, ...answered };
}
