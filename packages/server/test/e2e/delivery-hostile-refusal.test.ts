import { describe, expect } from 'bun:test';
import { KEPT_RESPONSE_BYTES } from '../../src/core/http/outgoing.ts';
import { onBothEngines } from '../faults/prepare.ts';
import { dataOf } from '../support/dashboard.ts';
import { type DeliveryRecord, startFlow } from '../support/flow.ts';
import { mailServerAt } from '../support/hostile/destinations.ts';
import { serveSmtp } from '../support/hostile/fake-smtp.ts';
import { startRawReceiver } from '../support/receiver.ts';

const ATTEMPTS = 3;

/** What no database takes, in a text or as a number, by the type of the events that meet it. */
const refusals = {
  'refusal.text': {
    reply: `550 ${'no\0\xff\xfe'.repeat(100_000)}\r\n`,
    status: 550,
    kept: /^550 (no\uFFFDÿþ)+n?o?\uFFFD?ÿ?…$/,
  },
  'refusal.code': {
    reply: '55099999999999999999 no\r\n',
    status: null,
    kept: /^55099999999999999999 no$/,
  },
} as const;

describe('a mail server’s refusal that no database takes is kept as far as one does, and is an attempt', () =>
  onBothEngines(async databaseUrl => {
    const flow = await startFlow({ settings: databaseUrl ? { SLUICE_DATABASE_URL: databaseUrl } : {} });
    for (const [type, { reply, status, kept }] of Object.entries(refusals)) {
      const server = await startRawReceiver(serveSmtp({ rcpt: reply }));
      const { id } = await flow.destination({
        kind: 'email',
        name: type,
        config: mailServerAt({ port: server.port, config: { security: 'none' } }),
        policy: { attempts: ATTEMPTS, schedule_s: [0, 0.01], timeout_s: 20 },
      });
      await flow.routeTo({ id, when: `event.type == "${type}"` });
      // The second is over later than a further attempt of the first would be.
      for (const mails of [1, 2]) {
        const dead = await flow.settled(await flow.send({}, type), 'dead');
        const { attempt, attempts } = dataOf<DeliveryRecord>(
          await flow.browser.get(`/deliveries/${dead.id}`),
        );
        expect(attempt).toBe(ATTEMPTS);
        expect(attempts.map(made => [made.n, made.status])).toEqual([1, 2, 3].map(n => [n, status]));
        for (const { response } of attempts) {
          expect(response).toMatch(kept);
          expect(Buffer.byteLength(response)).toBeLessThanOrEqual(KEPT_RESPONSE_BYTES);
        }
        expect(server.connections()).toBe(mails * ATTEMPTS);
      }
      await server.stop();
    }
    await flow.stop();
  }));
