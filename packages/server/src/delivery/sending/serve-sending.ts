import { seconds } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import { NoLongerWanted } from '../../core/http/outgoing.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { TextWriter } from '../../core/threads/packed-text.ts';
import type { Destination } from '../destination.ts';
import {
  packOutcome,
  type SendCall,
  type SendingCall,
  type SendingReply,
  type SendingSettings,
  type SendOutcome,
  type SharedSending,
  unpackSends,
} from './sending-protocol.ts';

const BEAT_MS = 1_000;
/** As long as a claim is known to be ours without being looked up. */
const KNOWN_FOR_NS = BigInt(seconds(1)) * 1_000_000n;

type Preparer = (kind: string, config: JsonObject) => Destination;

/** The inner end of a thread that sends. */
export function serveSending(
  end: {
    post(message: SendingReply): void;
    onMessage(handle: (message: SendingCall) => void): void;
  },
  createPreparer: (settings: SendingSettings, onError: (error: unknown) => void) => Preparer,
): void {
  const open = new Map<number, Destination>();
  /** Those that wait to hear whether they are still wanted. */
  const asked = new Map<number, (isWanted: boolean) => void>();
  let prepare: Preparer | null = null;
  let doubts = new Int32Array(new SharedArrayBuffer(4));
  let outcomes: TextWriter | null = null;

  function begin(shared: SharedSending, settings: SendingSettings): void {
    prepare = createPreparer(settings, onError);
    doubts = new Int32Array(shared.doubts);
    const beats = new Int32Array(shared.heartbeats);
    const beat = () => Atomics.add(beats, 0, 1);
    beat();
    setInterval(beat, BEAT_MS);
  }

  const onError = (error: unknown) => end.post({ kind: 'problem', message: messageOf(error) });

  function isStillWanted(call: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    asked.set(call, resolve);
    end.post({ kind: 'ask', call });
    return promise;
  }

  async function send({ call, destination, delivery }: SendCall, isInDoubt: boolean): Promise<SendOutcome> {
    try {
      const to = open.get(destination);
      if (to === undefined) return { kind: 'unwanted' };
      const isWanted = () => isStillWanted(call);
      if (isInDoubt && !(await isWanted())) return { kind: 'unwanted' };
      return { kind: 'result', result: await to.send({ ...delivery, isStillWanted: isWanted }) };
    } catch (error) {
      return error instanceof NoLongerWanted
        ? { kind: 'unwanted' }
        : { kind: 'defect', message: messageOf(error) };
    }
  }

  function done(call: number, outcome: SendOutcome): void {
    if (outcomes === null) {
      outcomes = new TextWriter();
      setImmediate(flush);
    }
    packOutcome(outcomes, call, outcome);
  }

  /** What is answered in one turn of the event loop goes back together. */
  function flush(): void {
    const packed = outcomes?.end() ?? '';
    outcomes = null;
    end.post({ kind: 'sent', packed });
  }

  end.onMessage(message => {
    switch (message.kind) {
      case 'begin':
        return begin(message.shared, message.settings);
      case 'open': {
        const prepared = prepare?.(message.of, message.config);
        if (prepared !== undefined) open.set(message.destination, prepared);
        return;
      }
      case 'close': {
        const closed = open.get(message.destination);
        open.delete(message.destination);
        void closed?.close?.().catch(onError);
        return;
      }
      case 'send': {
        const isOld = process.hrtime.bigint() - message.at > KNOWN_FOR_NS;
        for (const one of unpackSends(message.packed)) {
          const isInDoubt = isOld || Atomics.load(doubts, 0) !== message.doubts;
          void send(one, isInDoubt).then(outcome => done(one.call, outcome));
        }
        return;
      }
      case 'wanted':
        asked.get(message.call)?.(message.isWanted);
        asked.delete(message.call);
    }
  });
}
