import { describe, expect, test } from 'bun:test';
import { sampleDelivery } from '../../../test/support/delivery.ts';
import { until } from '../../../test/support/until.ts';
import type { AttemptResult } from '../../core/http/attempt.ts';
import { NoLongerWanted, SendingInterrupted } from '../../core/http/outgoing.ts';
import type { Destination, OutgoingDelivery } from '../destination.ts';
import type { SendingCall, SendingReply } from './sending-protocol.ts';
import { createSendingThreads } from './sending-threads.ts';
import { serveSending } from './serve-sending.ts';

const delivered: AttemptResult = {
  outcome: 'delivered',
  request: { target: 'POST https://example.com/hook', headers: { 'x-a': 'b' }, body: '{}' },
  status: 200,
  response: 'ok',
  durationMs: 3,
};

/** Both ends in one place, so that a test decides when a message comes over. */
function bothEnds(threads = 1) {
  const sent: string[] = [];
  const opened: string[] = [];
  const closed: string[] = [];
  const held: (() => void)[] = [];
  const failures: ((reason: string) => void)[] = [];
  const errors: unknown[] = [];
  let isHeld = false;
  let send: (to: string, delivery: OutgoingDelivery) => Promise<AttemptResult> = async (_to, { id }) => {
    sent.push(id);
    return delivered;
  };
  const prepare = (kind: string, config: object): Destination => {
    const to = `${kind} ${JSON.stringify(config)}`;
    opened.push(to);
    return {
      readsTraits: false,
      send: delivery => send(to, delivery),
      close: async () => void closed.push(to),
    };
  };
  const sending = createSendingThreads({
    threads,
    start({ onMessage, onFailure }) {
      failures.push(onFailure);
      let handle: (message: SendingCall) => void = () => {};
      let isOver = false;
      serveSending(
        {
          post: (message: SendingReply) => queueMicrotask(() => isOver || onMessage(message)),
          onMessage(given) {
            handle = given;
          },
        },
        () => prepare,
      );
      return {
        post(message) {
          const arrive = () => isOver || handle(message);
          if (isHeld && message.kind === 'send') held.push(arrive);
          else queueMicrotask(arrive);
        },
        end() {
          isOver = true;
        },
      };
    },
    settings: { allowAddresses: [], allowHttp: false, egressAddresses: [] },
    onError: error => void errors.push(error),
  });
  return {
    sending,
    sent,
    opened,
    closed,
    errors,
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const arrive of held.splice(0)) arrive();
    },
    held,
    sendAs(given: typeof send) {
      send = given;
    },
    fail: (reason: string) => failures.at(-1)?.(reason),
  };
}

const asking = (isWanted: () => boolean) => {
  let asked = 0;
  const delivery = sampleDelivery({
    isStillWanted: async () => {
      asked++;
      return isWanted();
    },
  });
  return { delivery, asked: () => asked };
};

describe('what is handed to a thread that sends', () => {
  test('is sent there, and its result comes back', async () => {
    const { sending, sent } = bothEnds();
    const { delivery, asked } = asking(() => true);
    expect(await sending.open('webhook', { url: 'a' }).send(delivery)).toEqual(delivered);
    expect(sent).toEqual([delivery.id]);
    expect(asked()).toBe(0);
  });

  test('does not leave where it was withdrawn before it came over', async () => {
    const { sending, sent, hold, held, release } = bothEnds();
    const destination = sending.open('webhook', { url: 'a' });
    hold();
    const { delivery, asked } = asking(() => false);
    const result = destination.send(delivery);
    await until(() => held.length === 1, 'It was not handed over.');
    sending.doubt();
    release();
    await expect(result).rejects.toBeInstanceOf(NoLongerWanted);
    expect(sent).toEqual([]);
    expect(asked()).toBe(1);
  });

  test('does not leave where it was withdrawn in the turn in which it was handed over', async () => {
    const { sending, sent } = bothEnds();
    const result = sending.open('webhook', { url: 'a' }).send(asking(() => false).delivery);
    sending.doubt();
    await expect(result).rejects.toBeInstanceOf(NoLongerWanted);
    expect(sent).toEqual([]);
  });

  test('comes back where the service is stopping, and starts nobody', async () => {
    const { sending, opened } = bothEnds();
    const destination = sending.open('webhook', { url: 'a' });
    sending.stop();
    await expect(destination.send(sampleDelivery())).rejects.toThrow('The service is stopping.');
    expect(opened).toEqual([]);
  });

  test('leaves where something else was withdrawn meanwhile', async () => {
    const { sending, sent, hold, held, release } = bothEnds();
    const destination = sending.open('webhook', { url: 'a' });
    hold();
    const { delivery } = asking(() => true);
    const result = destination.send(delivery);
    await until(() => held.length === 1, 'It was not handed over.');
    sending.doubt();
    release();
    expect(await result).toEqual(delivered);
    expect(sent).toEqual([delivery.id]);
  });

  test('is asked for again wherever the thread has waited for something', async () => {
    const { sending, sendAs } = bothEnds();
    sendAs(async (_to, { isStillWanted }) => {
      if (!(await isStillWanted())) throw new NoLongerWanted();
      return delivered;
    });
    const destination = sending.open('webhook', { url: 'a' });
    await expect(destination.send(asking(() => false).delivery)).rejects.toBeInstanceOf(NoLongerWanted);
    expect(await destination.send(asking(() => true).delivery)).toEqual(delivered);
  });

  test('is its own failure where the kind has a defect', async () => {
    const { sending, sendAs } = bothEnds();
    sendAs(async () => {
      throw new Error('a defect');
    });
    await expect(sending.open('webhook', { url: 'a' }).send(sampleDelivery())).rejects.toThrow('a defect');
  });

  test('fails with a thread that ends, and the next one knows every destination', async () => {
    const { sending, opened, sent, sendAs, fail, errors } = bothEnds();
    const [first, second] = [sending.open('webhook', { url: 'a' }), sending.open('slack', { url: 'b' })];
    sendAs(() => new Promise(() => {}));
    const hanging = first.send(sampleDelivery());
    await until(() => opened.length === 2, 'They were not opened.');
    fail('it crashed');
    await expect(hanging).rejects.toBeInstanceOf(SendingInterrupted);
    expect(errors).toHaveLength(1);
    sendAs(async (to, { id }) => {
      sent.push(`${to} ${id}`);
      return delivered;
    });
    const delivery = sampleDelivery();
    expect(await second.send(delivery)).toEqual(delivered);
    expect(sent).toEqual([`slack {"url":"b"} ${delivery.id}`]);
  });
});

test('a destination is closed where it was opened, and what comes after is not sent', async () => {
  const { sending, closed } = bothEnds();
  const destination = sending.open('webhook', { url: 'a' });
  await destination.send(sampleDelivery());
  await destination.close?.();
  await until(() => closed.length === 1, 'It was not closed.');
  await expect(destination.send(sampleDelivery())).rejects.toBeInstanceOf(NoLongerWanted);
});

test('destinations are spread over the threads, each on one of them', async () => {
  const { sending, opened } = bothEnds(2);
  const destinations = ['a', 'b', 'c', 'd'].map(url => sending.open('webhook', { url }));
  await destinations[0]?.send(sampleDelivery());
  expect(opened).toEqual(['webhook {"url":"a"}', 'webhook {"url":"c"}']);
});
