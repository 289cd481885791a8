import type { Clock } from '../../core/clock.ts';
import type { EntityRef } from '../../core/event/scope.ts';
import type { OutgoingHttp } from '../../core/http/outgoing.ts';
import type { Vault } from '../../core/secrets/vault.ts';
import type { EventQueue } from '../../core/stores/event-queue.ts';
import type { Membership } from '../../core/work/membership.ts';

/**
 * A port: one thing that steps may ask of the world. It says how steps see it on their own thread, which calls
 * cross to the main thread, who answers them there, and what stands in its place during a dry run. All ports are
 * in the record of `ports/registry.ts`.
 */
export interface Port<Face, Calls extends PortCalls<Calls>> {
  /** Whether whoever uses it may have to wait for a server that is not ours. */
  readonly isRemote: boolean;
  /** The port as steps see it. */
  connect(thread: ThreadSide<Calls>): Face;
  /** What is done for it on the main thread. */
  serve(dependencies: PortDependencies): ServedPort<Calls>;
  /** A port that leaves nothing behind. */
  forDryRun(face: Face, dryRun: Pick<DryRun, 'mayAskModel'>): Face;
}

type PortCalls<Calls> = { readonly [N in keyof Calls]: (...args: never[]) => Promise<unknown> };

/** What a port has on the thread of the steps. */
export interface ThreadSide<Calls extends PortCalls<Calls>> {
  /** Asks the main thread. */
  call<N extends keyof Calls & string>(name: N, ...args: Parameters<Calls[N]>): ReturnType<Calls[N]>;
  /** Somebody has to wait: the next run may begin meanwhile. */
  announceWait(): void;
  readonly vault: Pick<Vault, 'digest'>;
}

/** What the main thread's side of ports is made of. */
export interface PortDependencies {
  readonly clock: Clock;
  readonly eventQueue: Pick<
    EventQueue,
    'findDedupeKeys' | 'findLabel' | 'claimLabel' | 'keepLabel' | 'releaseLabel' | 'recordLabelUse'
  >;
  readonly newToken: Membership['newToken'];
  readonly client: Pick<OutgoingHttp, 'request'>;
  /** The entity's traits as JSON text, or null where there is none. */
  readTraits(orgId: string, entity: EntityRef): Promise<string | null>;
}

export interface ServedPort<Calls> {
  readonly calls: Calls;
  /** Writes what was only counted. */
  flush?(): Promise<void>;
  /** Leaves to others what was begun: nobody here waits for it any more. */
  release?(): Promise<void>;
}

/** A run that leaves nothing behind. */
export interface DryRun {
  /** Models cost money: they are asked only where somebody said so. */
  readonly mayAskModel: boolean;
  /** What they are taken to have answered, by label. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A port whose calls are answered by the main thread. */
export const definePort = <Face, Calls extends PortCalls<Calls>>(
  port: Pick<Port<Face, Calls>, 'connect' | 'serve'> & Partial<Port<Face, Calls>>,
): Port<Face, Calls> => ({ isRemote: false, forDryRun: face => face, ...port });

type NoCalls = Readonly<Record<never, never>>;

/** A port that the steps' own thread has all it takes for. */
export const defineLocalPort = <Face>(
  connect: (thread: ThreadSide<NoCalls>) => Face,
  forDryRun?: (face: Face) => Face,
): Port<Face, NoCalls> =>
  definePort({ connect, serve: () => ({ calls: {} }), ...(forDryRun ? { forDryRun } : {}) });
