import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, seconds } from '../../core/clock.ts';
import { isStorageAway } from '../../core/errors.ts';
import type { ClaimedEvent, EventQueue } from '../../core/stores/event-queue.ts';
import type { AppendRequest, AppendResult } from '../../core/stores/journal.ts';
import { createAlarm } from '../../core/work/alarm.ts';
import { createBatcher } from '../../core/work/batcher.ts';
import type { ClaimHolder, Membership } from '../../core/work/membership.ts';
import type { Reservation } from '../../core/work/reservation.ts';
import type { Definitions } from '../definitions/definitions.ts';
import type { PipelineRunner } from '../thread/runner.ts';
import { createGiveWay } from './give-way.ts';
import { createIntake } from './intake.ts';
import { createClockCheck } from './parked-clock.ts';
import { type Plan, planRuns, unplannable } from './plan.ts';
import { type EndedRun, settlementOf } from './settle.ts';
import { createSettler, type OnSettled, type ReserveDeliveries } from './settler.ts';
import { createUnderWay } from './under-way.ts';
import { findUnrouted, tellUnrouted } from './unrouted.ts';

/**
 * The worker of pipelines. It takes events that were accepted, has them run, and settles what became of them. It takes
 * what this node accepted from memory, and claims the rest in batches, organisations taking turns, as long as there is
 * room for more under way; each event is settled when its own runs have ended, whatever else is still running. A claim
 * is on disk before its event is run, and holds as long as its node lives.
 *
 * A claim that outlives its node means that the process ended in the middle, or was silent for so long that it was
 * declared dead. Nobody can tell which, so such events are suspects: they are claimed again one at a time, beside
 * everything else. The second try may overlap with the next one's when it has to wait for somebody; the third is
 * strictly alone among suspects; after it the event is left alone for good.
 */
export interface PipelineWorker extends ClaimHolder {
  start(): void;
  /** Room for what is about to be accepted, so that it is worked on from memory; null where it is to wait in storage. */
  reserve(requests: readonly AppendRequest[]): Reservation<AppendRequest, AppendResult> | null;
  /** These events of an organisation will not be processed any more. */
  forget(orgId: string, eventIds: readonly string[]): void;
  /** There may be something to do. */
  wake(): void;
  /** Lets what is under way end within a grace, and gives the rest back. One that was never started just ends. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  readonly eventQueue: Pick<
    EventQueue,
    | 'settleEvents'
    | 'claimEvents'
    | 'claimSuspect'
    | 'findBornClaimed'
    | 'hasSuspects'
    | 'releaseClaims'
    | 'bringParkedForward'
  >;
  readonly definitions: Definitions;
  readonly runner: PipelineRunner;
  readonly clock: Clock;
  readonly newToken: Membership['newToken'];
  /** How long to rest when there is nothing to do, and nobody wakes it. */
  readonly pollMs: number;
  /** Whether senders queue for the disk. What they were promised nothing for yet goes before what is kept already. */
  mustGiveWay(): boolean;
  readonly reserveDeliveries: ReserveDeliveries;
  onDeliveries(): void;
  readonly onSettled?: OnSettled | undefined;
  onError(error: unknown): void;
}

const LOOK_FOR_SUSPECTS_EVERY_MS = seconds(2);
const LOOK_AT_CLOCK_EVERY_MS = seconds(1);
/** A second try that has not ended by then waits for somebody, and the next may begin. */
const SUSPECT_HEAD_START_MS = 50;
const AFTER_ERROR_MS = seconds(1);
/** For so long after it was accepted an event in memory is taken to be what it was. */
const KNOWN_FOR_MS = seconds(1);
const LOOKED_UP_AT_ONCE = 256;
/** What cannot be planned so often, with storage there, is settled as failed. */
const MOST_PLANS = 3;
const STOPPING_GRACE_MS = seconds(3);

export function createPipelineWorker(options: WorkerOptions): PipelineWorker {
  const { eventQueue, definitions, runner, clock, onError } = options;
  const underWay = createUnderWay();
  const intake = createIntake({
    findUnrouted: request => findUnrouted(request, definitions),
    onUnrouted: (request, result) =>
      tellUnrouted(request, result, (...settled) => options.onSettled?.(...settled)),
    onStored: takeIn,
  });
  const fromMemory = createGiveWay(options.mustGiveWay);
  const fromStorage = createGiveWay(options.mustGiveWay);
  /** With these something is being claimed. */
  const claiming = new Set<string>();
  /** How often the node was declared dead: what was claimed before the last time belongs to others. */
  let deaths = 0;
  let after = '';
  let stopping = false;
  const alarm = createAlarm();
  const wake = alarm.ring;
  let onRoom = () => {};
  const { promise: stopped, resolve: tellStopped } = Promise.withResolvers<void>();

  const pause = (ms: number) => Promise.race([stopped, sleep(ms)]);

  const settler = createSettler({
    eventQueue,
    clock,
    pause: sleep,
    reserve: options.reserveDeliveries,
    onDeliveries: options.onDeliveries,
    onError,
  });

  const checkClock = createClockCheck({ eventQueue, clock, onBroughtForward: wake });

  const hasRoom = () => stopping || underWay.hasRoom();

  /** Begins what was accepted here, as far as there is room for it. */
  function takeIn(): void {
    while (!stopping && underWay.hasRoomForOne()) {
      if (fromMemory.room() === 0) {
        fromMemory.later(takeIn);
        return;
      }
      const event = intake.take(underWay.hasEnough);
      if (event === null) return;
      fromMemory.began(1);
      void process(event, deaths);
    }
  }

  /** Null while nothing may be claimed. What is claimed is begun before anybody could take its token for a lost one. */
  async function claimWith<Claimed, Begun>(
    claim: (token: string) => Promise<Claimed>,
    begin: (claimed: Claimed, asOf: number) => Begun,
  ): Promise<Begun | null> {
    const token = options.newToken();
    if (token === null) return null;
    const asOf = deaths;
    claiming.add(token);
    try {
      return begin(await claim(token), asOf);
    } finally {
      claiming.delete(token);
    }
  }

  async function process(claimed: ClaimedEvent, asOf: number): Promise<void> {
    const ending = underWay.begin(claimed);
    try {
      if (!(await isStillOurs(claimed))) return;
      const { sources, runs, ended, notDue } = await planned(claimed);
      if (asOf !== deaths) return;
      if (runs.some(({ pipeline }) => pipeline.isRemote)) {
        ending.waits();
        makeUseOfRoom();
      }
      const reports = runs.map(async (run): Promise<EndedRun> => {
        const { pipeline, sourceName } = run;
        const { orgId, event, payload } = claimed;
        const { retries } = run.planned;
        return { ...run, report: await runner.run({ orgId, pipeline, event, payload, sourceName, retries }) };
      });
      const all = [...ended, ...(await Promise.all(reports))];
      const settlement = settlementOf(claimed, all, { sources, notDue, now: clock.now() });
      const written = await settler.settle(settlement, claimed.event);
      if (written !== null) {
        options.onSettled?.(
          written.settlement,
          written.result,
          sources.map(({ id }) => id),
          written.at,
        );
      }
      if (settlement.parked.length > 0) {
        const dueIn = Math.min(...settlement.parked.map(({ dueAt }) => dueAt)) - clock.now();
        if (dueIn < options.pollMs) setTimeout(wake, Math.max(0, dueIn) + 1);
      }
    } catch (error) {
      onError(error);
    } finally {
      if (ending.end()) wake();
      makeUseOfRoom();
    }
  }

  function makeUseOfRoom(): void {
    takeIn();
    if (hasRoom()) onRoom();
  }

  const ownership = createBatcher<ClaimedEvent, boolean>({
    async write(events) {
      const ours = new Set(
        await eventQueue.findBornClaimed(
          events.map(({ orgId, event, token }) => ({ orgId, id: event.id, token })),
        ),
      );
      return events.map(({ event }) => ours.has(event.id));
    },
    most: LOOKED_UP_AT_ONCE,
    atOnce: 1,
    whenAway: { retryMs: AFTER_ERROR_MS },
    whenRefused: 'reject',
  });

  /** What has waited in memory for a while may have been erased, on whichever node. */
  async function isStillOurs(claimed: ClaimedEvent): Promise<boolean> {
    if (!claimed.isBornClaimed || clock.now() - claimed.event.receivedAt < KNOWN_FOR_MS) return true;
    // Where nobody can say, settling does.
    return ownership.add(claimed).catch(() => true);
  }

  /** Storage that is away comes back; whatever else stands in the way of a plan is not tried for ever. */
  async function planned(claimed: ClaimedEvent): Promise<Plan> {
    for (let tries = 1; ; ) {
      try {
        return await planRuns(claimed, definitions, clock.now());
      } catch (error) {
        if (stopping) throw error;
        if (isStorageAway(error)) {
          await untilBack(error);
          continue;
        }
        onError(error);
        if (tries++ === MOST_PLANS) return unplannable(claimed, error);
        await pause(AFTER_ERROR_MS);
      }
    }
  }

  let back: Promise<void> | null = null;
  /** Everybody who finds storage away waits for the same look at it. */
  function untilBack(error: unknown): Promise<void> {
    back ??= (async () => {
      onError(error);
      for (let isBack = false; !isBack && !stopping; ) {
        await pause(AFTER_ERROR_MS);
        isBack = await eventQueue.hasSuspects().then(
          () => true,
          () => false,
        );
      }
    })().finally(() => {
      back = null;
    });
    return back;
  }

  async function claimAndProcess(): Promise<void> {
    if (!hasRoom()) await new Promise<void>(resolve => (onRoom = resolve));
    if (fromStorage.room() === 0) await Promise.race([stopped, new Promise<void>(fromStorage.later)]);
    // What was accepted meanwhile may have taken the room.
    if (stopping || !hasRoom()) return;
    alarm.reset();
    const room = underWay.room();
    const limit = Math.min(room.limit, fromStorage.room());
    const batch = await claimWith(
      token => eventQueue.claimEvents({ token, now: clock.now(), after, ...room, limit }),
      (claimed, asOf) => {
        fromStorage.began(claimed.events.length);
        for (const event of claimed.events) void process(event, asOf);
        return claimed;
      },
    );
    after = batch?.after ?? after;
    if (batch === null || batch.events.length === 0) await alarm.sleep(options.pollMs);
  }

  async function takeSuspects(): Promise<void> {
    if (!(await eventQueue.hasSuspects())) return;
    while (!stopping) {
      const suspect = await claimWith(
        eventQueue.claimSuspect,
        (claimed, asOf) => claimed && { tries: claimed.tries, done: process(claimed, asOf) },
      );
      if (suspect === null) return;
      const { tries, done } = suspect;
      await (tries > 2 ? done : Promise.race([done, pause(SUSPECT_HEAD_START_MS)]));
    }
  }

  async function repeatedly(work: () => Promise<void>, everyMs: number): Promise<void> {
    while (!stopping) {
      try {
        await work();
        if (everyMs > 0) await pause(everyMs);
      } catch (error) {
        onError(error);
        await pause(AFTER_ERROR_MS);
      }
    }
  }

  async function begin(): Promise<void> {
    await Promise.all([
      repeatedly(claimAndProcess, 0),
      repeatedly(takeSuspects, LOOK_FOR_SUSPECTS_EVERY_MS),
      repeatedly(checkClock, LOOK_AT_CLOCK_EVERY_MS),
    ]);
  }

  let working: Promise<void> | null = null;

  return {
    start() {
      runner.start();
      working ??= begin().catch(onError);
    },
    reserve(requests) {
      const token = stopping || working === null ? null : options.newToken();
      return token === null ? null : intake.reserve(requests, token);
    },
    forget: intake.forget,
    wake,
    heldTokens: () => [...claiming, ...intake.tokens(), ...underWay.tokens()],
    // What is with the threads ends there, and what comes of it is refused.
    dropClaims() {
      deaths++;
      intake.clear();
    },
    async stop() {
      stopping = true;
      tellStopped();
      ownership.hurry();
      wake();
      onRoom();
      if (working === null) return;
      await working;
      const deadline = performance.now() + STOPPING_GRACE_MS;
      while (underWay.count() + intake.reserved() > 0 && performance.now() < deadline) await sleep(10);
      const unsettled = [...intake.tokens(), ...underWay.tokens()];
      await eventQueue.releaseClaims(unsettled, clock.now()).catch(onError);
      runner.stop();
    },
  };
}
