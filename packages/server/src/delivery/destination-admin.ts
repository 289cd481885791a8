import { invalid } from '../core/errors.ts';
import type { AttemptResult } from '../core/http/attempt.ts';
import { newId } from '../core/ids.ts';
import { type JsonObject, parseJson } from '../core/json/json.ts';
import type { ConfigInput, DestinationAdmin, TriedEvent } from '../core/kinds/destination-admin.ts';
import {
  describeKind,
  keepSecrets,
  keepsSecrets,
  maskSecrets,
  ownFields,
  readConfig,
} from '../core/kinds/kind.ts';
import type { Vault } from '../core/secrets/vault.ts';
import type { StoredDestination } from '../core/stores/configuration/destinations.ts';
import { probeMoment } from './decide/breaker.ts';
import type { Destination, DestinationDeps, DestinationKind, OutgoingDelivery } from './destination.ts';
import { destinationKinds, findDestinationKind } from './destinations/registry.ts';
import { listenerConfig, tokensOf } from './listeners/config.ts';
import {
  type KnownKind,
  readPortableConfig,
  showPortableConfig,
  withoutOwnFields,
} from './portable-config.ts';
import { prepareDestination } from './prepare-destination.ts';
import type { Rendered } from './rendering/message.ts';
import { requireSameServer } from './same-server.ts';
import { openConfig, sealConfig } from './sealed-config.ts';
import type { SendingThreads } from './sending/sending-threads.ts';

/** Reads stored destinations for good: opens their secrets, compiles their templates. */
interface DestinationPreparer {
  prepare(destination: StoredDestination): Destination;
  /** To be sent to on another thread. */
  prepareOn(threads: Pick<SendingThreads, 'open'>, destination: StoredDestination): Destination;
  /** What opens the connection of a listener now. */
  listenerTokens(destination: StoredDestination): string[];
}

/** Destinations as they are made, changed and tested, by the kinds that there are. */
export function createDestinationAdmin(
  deps: DestinationDeps,
  vault: Pick<Vault, 'seal' | 'open'>,
): DestinationAdmin & DestinationPreparer {
  const seal = (kind: DestinationKind, config: JsonObject, owner: Pick<StoredDestination, 'orgId' | 'id'>) =>
    sealConfig(vault, kind, config, owner);

  const open = (kind: DestinationKind, destination: StoredDestination) =>
    openConfig(vault, kind, destination);

  function kindOf(destination: StoredDestination): DestinationKind {
    const kind = findDestinationKind(destination.kind);
    if (kind === undefined)
      throw new Error(`There is no destination of the kind ${destination.kind} any more.`);
    return kind;
  }

  const known = new Map<DestinationKind, KnownKind>();
  function know(kind: DestinationKind): KnownKind {
    const found = known.get(kind) ?? { kind, own: ownFields(kind) };
    known.set(kind, found);
    return found;
  }

  const prepare = (destination: StoredDestination): Destination => {
    const kind = kindOf(destination);
    return prepareDestination(kind, open(kind, destination), deps);
  };

  /** A configuration as somebody sends it, with the secrets that it says to keep. */
  function readInput({ id, kind: name, config, stored }: ConfigInput) {
    const kind = requireKind(name);
    const isCopy = stored !== null && stored.id !== id;
    const given = isCopy ? withoutOwnFields(know(kind), config) : config;
    const before = stored && open(kind, stored);
    if (before && keepsSecrets(kind, given)) requireSameServer(before, given);
    const kept = keepSecrets(kind, given, before, 'config');
    return { kind, read: readConfig(kind, kept, 'config') };
  }

  return {
    kinds: () =>
      destinationKinds.map(kind => ({
        ...describeKind(kind),
        egress_addresses: deps.egressAddresses,
        has_preview: kind.preview !== undefined,
      })),

    async accept(input) {
      const { kind, read } = readInput(input);
      const complete = kind.generateSecret?.(read, input) ?? { config: read, secret: null };
      await kind.prepare(complete.config, deps).close?.();
      kind.composer?.(complete.config).check();
      await kind.check?.(complete.config, deps);
      return { config: seal(kind, complete.config as JsonObject, input), secret: complete.secret };
    },

    show(destination) {
      return maskSecrets(kindOf(destination), parseJson(destination.config) as JsonObject);
    },

    showPortable: destination =>
      showPortableConfig(know(kindOf(destination)), parseJson(destination.config) as JsonObject),

    readPortable(input) {
      const kind = requireKind(input.kind);
      return readPortableConfig(know(kind), input.config, input.stored && open(kind, input.stored), input);
    },

    rotationOf(destination) {
      const stored = parseJson(destination.config) as JsonObject;
      return kindOf(destination).rotationOf?.(stored) ?? null;
    },

    async readColumns(input) {
      const { kind, read } = readInput(input);
      if (kind.readColumns === undefined)
        throw invalid('kind', `A ${kind.name} destination has no table to look at.`);
      return kind.readColumns(read, deps);
    },

    rotate(destination, previousHoldsUntil) {
      const kind = kindOf(destination);
      const config = readConfig(kind, open(kind, destination), 'config');
      const rotated = kind.rotate?.(config, previousHoldsUntil, destination);
      if (rotated === undefined)
        throw invalid('kind', `A ${kind.name} destination has no secret of ours to rotate.`);
      return { config: seal(kind, rotated.config as JsonObject, destination), secret: rotated.secret };
    },

    nextProbeAt: ({ breaker, paused }, firstDueAt) =>
      breaker === null || paused || firstDueAt === null
        ? null
        : Math.max(probeMoment(breaker, firstDueAt), firstDueAt),

    prepare,

    prepareOn(threads, destination) {
      const kind = kindOf(destination);
      const config = open(kind, destination);
      // Read on this side too: what cannot be read is known before anything is handed over.
      const here = prepareDestination(kind, config, deps);
      // The way to a listener is a connection that this thread holds.
      if (here.isReachable !== undefined) return here;
      const { readsTraits, readsLink = false } = here;
      return { readsTraits, readsLink, ...threads.open(kind.name, config) };
    },

    listenerTokens(destination) {
      const config = listenerConfig.safeParse(open(kindOf(destination), destination));
      return config.success ? tokensOf(config.data, deps.clock.now()) : [];
    },

    async test(destination, tried) {
      const prepared = prepare(destination);
      if (prepared.isReachable?.() === false) return notReachable(destination);
      const timeoutMs = destination.policy.timeout_s * 1_000;
      try {
        return await prepared.send(testDelivery(destination.orgId, tried, timeoutMs, deps.clock.now()));
      } finally {
        await prepared.close?.();
      }
    },

    async preview({ orgId, kind: name, config }, tried) {
      const kind = requireKind(name);
      const { preview, composer, examples } = kind;
      if (preview === undefined || composer === undefined)
        throw invalid('kind', `A ${kind.name} destination has no message to preview.`);
      // What makes up the message is the draft's; the rest need not be filled in yet, and an example stands in for it.
      const isShown = ([field]: [string, unknown]) => preview.fields.includes(field);
      const example = Object.entries(examples[0]?.config ?? {}).filter(field => !isShown(field));
      const given = Object.entries(config).filter(isShown);
      const read = readConfig(kind, Object.fromEntries([...example, ...given]), 'config');
      const compiled = composer(read);
      compiled.check();
      const recipe = { kind: kind.name, config: read, composer: compiled };
      const delivery = testDelivery(orgId, tried, 0, deps.clock.now());
      const rendered = (await deps.renderer.render(delivery, recipe)) as Rendered<unknown>;
      if (rendered.kind === 'failed') throw invalid('config', rendered.failure.message);
      return preview.show(rendered.value);
    },
  };
}

const testDelivery = (
  orgId: string,
  tried: TriedEvent,
  timeoutMs: number,
  now: number,
): OutgoingDelivery => ({
  ...tried,
  orgId,
  id: newId('dlv', now),
  attempt: 1,
  isTest: true,
  timeoutMs,
  isStillWanted: async () => true,
});

function requireKind(name: string): DestinationKind {
  const kind = findDestinationKind(name);
  if (kind !== undefined) return kind;
  const known = destinationKinds.map(({ name: one }) => one).join(', ');
  throw invalid('kind', `kind must be one of ${known}.`);
}

/** What a test of a listener comes to while nobody is connected, or another node has the connection. */
const notReachable = ({ name }: StoredDestination): AttemptResult => ({
  outcome: 'failed',
  code: 'connection_refused',
  message: 'No listener is connected to this node: run sluice listen, and send the test again.',
  retryAfterMs: null,
  request: { target: name, headers: {}, body: '' },
  status: null,
  response: null,
  durationMs: 0,
});
