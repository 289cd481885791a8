import { hostname } from 'node:os';
import { seconds } from '../core/clock.ts';
import { newId } from '../core/ids.ts';
import type { NodeRates } from '../core/stores/upkeep.ts';
import { VERSION } from '../core/version.ts';
import {
  type ClaimHolder,
  findStrays,
  HEARTBEAT_EVERY_MS,
  type Membership,
  NODE_SILENCE_MS,
} from '../core/work/membership.ts';
import { repeat } from '../core/work/repeat.ts';
import { createSignal, type Signal } from '../core/work/signal.ts';
import type { Foundation } from './foundation.ts';
import { createNodeRateMeter } from './node-rates.ts';
import type { Part } from './part.ts';
import type { StoragePart } from './storage.ts';
import type { TelemetryPart } from './telemetry.ts';

/** The nodes that share the work, as the last heartbeat found them, and this one's life among them. */
export interface Nodes extends Part, Membership {
  /** Whoever claims something here says what it has. */
  addHolder(holder: ClaimHolder): void;
  /** Their number may have changed. */
  readonly counted: Signal;
  count(): number;
  /** Null while this process is none of the living nodes. */
  self(): { readonly id: string | null; readonly rates: NodeRates };
  /** At least 1: whoever asks has the role. */
  withRole(role: string): number;
}

type NodesFoundation = Pick<
  Foundation,
  'clock' | 'settings' | 'logger' | 'warn' | 'isStopping' | 'eventsDue' | 'deliveriesDue'
>;

const TICK_MS = seconds(1);
/** Between two looks for what nobody has any more, where nobody has died. */
const LOOK_EVERY_MS = seconds(5);
/** So long before others may declare it dead, a node that is not heard claims nothing more. */
const MARGIN_MS = seconds(1);
const FREED_AT_ONCE = 500;

/**
 * Heartbeats leave from the main thread, on purpose: a process whose main thread is held up for good does no work, and
 * must not keep its claims. One that is held up for some seconds is heard in time, since there is time for three, and
 * since they have connections of their own.
 */
export function createNodes(
  { clock, settings, logger, warn, isStopping, eventsDue, deliveriesDue }: NodesFoundation,
  { engine }: Pick<StoragePart, 'engine'>,
  { metrics }: { readonly metrics: Pick<TelemetryPart['metrics'], 'nodeDied' | 'rejoined' | 'totals'> },
  now: () => number = () => performance.now(),
): Nodes {
  const { upkeep, capabilities } = engine;
  const { isShared } = capabilities;
  const roles = settings.SLUICE_ROLES;
  const holders: ClaimHolder[] = [];
  const counted = createSignal();
  const rates = createNodeRateMeter(metrics.totals, now);
  let alive: readonly (readonly string[])[] = [roles];
  let nodeId: string | null = null;
  /** When the last heartbeat left that was answered: it is alive at least until the silence after that is over. */
  let heardAt = Number.NEGATIVE_INFINITY;
  let tokens = 0;
  let lookAt = Number.NEGATIVE_INFINITY;
  let stopBeating = async () => {};
  let stopTakingOver: (() => Promise<void>) | null = null;

  const isCertain = () => !isShared || now() - heardAt < NODE_SILENCE_MS - MARGIN_MS;

  function heard(found: readonly (readonly string[])[], sentAt: number): void {
    alive = found;
    heardAt = sentAt;
    counted.raise();
  }

  function tellOfWork(): void {
    eventsDue.raise();
    deliveriesDue.raise();
  }

  async function join(): Promise<void> {
    const [id, sentAt] = [newId('node', clock.now()), now()];
    const node = { id, roles, version: VERSION, host: hostname() };
    heard(await upkeep.join(node, !isShared), sentAt);
    nodeId = id;
    // What was claimed before it is looked for at once: all of it, where nobody else can be alive.
    lookAt = Number.NEGATIVE_INFINITY;
    stopTakingOver ??= repeat(TICK_MS, takeOver, warn('claims of dead nodes'));
    tellOfWork();
  }

  async function beat(): Promise<void> {
    if (nodeId === null) return join();
    if (now() - heardAt < HEARTBEAT_EVERY_MS - TICK_MS / 2) return;
    const sentAt = now();
    const done = rates.measure();
    if (!isShared) {
      // Nobody listens.
      heardAt = sentAt;
      return;
    }
    const found = await upkeep.heartbeat(nodeId, done);
    if (found !== null) return heard(found, sentAt);
    logger.warn(
      { node: nodeId },
      'This node was silent for too long and was declared dead. It drops its claims and joins again.',
    );
    nodeId = null;
    metrics.rejoined();
    for (const holder of holders) holder.dropClaims();
    await join();
  }

  /** Others' deaths, and what nobody has any more. */
  async function takeOver(): Promise<void> {
    if (nodeId === null || !isCertain() || isStopping()) return;
    const dead = isShared ? await upkeep.buryNodes(nodeId) : [];
    for (const node of dead) {
      metrics.nodeDied();
      logger.warn(
        { node },
        'A node was silent for too long and is declared dead. Others take over its work.',
      );
    }
    if (dead.length === 0 && now() < lookAt) return;
    lookAt = now() + LOOK_EVERY_MS;
    while ((await freeSome(nodeId)) > 0 && !isStopping()) tellOfWork();
  }

  async function freeSome(self: string): Promise<number> {
    const claims = await upkeep.listClaims();
    const held = new Set(holders.flatMap(holder => holder.heldTokens()));
    const strays = findStrays(claims, self, held);
    const isNone = Object.values(strays).every(({ length }) => length === 0);
    return isNone ? 0 : upkeep.freeClaims(strays, FREED_AT_ONCE, clock.now());
  }

  return {
    counted,
    addHolder: holder => void holders.push(holder),
    newToken: () => (nodeId !== null && isCertain() ? `${nodeId} ${(tokens++).toString(36)}` : null),
    count: () => alive.length,
    self: () => ({ id: nodeId, rates: rates.last() }),
    withRole: role => Math.max(1, alive.filter(of => of.includes(role)).length),
    start() {
      stopBeating = repeat(TICK_MS, beat, warn('heartbeat'));
    },
    async stop() {
      // The first heartbeat begins the other.
      await stopBeating();
      await stopTakingOver?.();
      if (nodeId !== null) await upkeep.leave(nodeId);
      nodeId = null;
    },
  };
}
