import { afterAll, beforeAll, describe } from 'bun:test';
import type { StorageEngine } from '../../../src/core/stores/engine.ts';
import { type EveryStore, everyStore } from '../../support/every-store.ts';
import { accountsContract } from './accounts.ts';
import { alertsContract } from './alerts.ts';
import { apiKeysContract } from './api-keys.ts';
import { appendContract } from './append.ts';
import { auditContract } from './audit.ts';
import { bornClaimedContract } from './born-claimed.ts';
import { breakersContract } from './breakers.ts';
import { claimsContract } from './claims.ts';
import { countersContract } from './counters.ts';
import { deadLettersContract } from './dead-letters.ts';
import { deliveriesContract } from './deliveries.ts';
import { engineContract } from './engine.ts';
import { entitiesContract } from './entities.ts';
import { eventTimesContract } from './event-times.ts';
import { eventsContract } from './events.ts';
import { jobFilesContract } from './job-files.ts';
import { jobsContract } from './jobs.ts';
import { labelsContract } from './labels.ts';
import { nodesContract } from './nodes.ts';
import { organisationsContract } from './organisations.ts';
import { pipelinesContract } from './pipelines.ts';
import { presentFiguresContract } from './present-figures.ts';
import { pruneContract } from './prune.ts';
import { replaysContract } from './replays.ts';
import { retriesContract } from './retries.ts';
import { sealedContract } from './sealed.ts';
import { secondFactorsContract } from './second-factors.ts';
import { sessionsContract } from './sessions.ts';
import { settleContract } from './settle.ts';
import { sourcesContract } from './sources.ts';
import { testEventsContract } from './test-events.ts';
import { textSearchContract } from './text-search.ts';
import { upkeepContract } from './upkeep.ts';
import { viewsContract } from './views.ts';
import { wholeConfigurationContract } from './whole-configuration.ts';

/** An empty database and the nodes on it: one where the engine allows no more, else two that race each other. */
export interface OpenedStorage {
  readonly nodes: readonly [StorageEngine, ...StorageEngine[]];
  /** Leaves the tables and nothing in them. Absent where nodes that are kept open would take connections from others. */
  empty?(): void;
  /** Closes the nodes and removes everything. */
  remove(): Promise<void>;
}

/** What the files of this suite work with. They share one database, so each test makes its own organisation. */
export interface Subject {
  readonly storage: EveryStore;
  readonly engine: StorageEngine;
  /** The same storage through every node in turn: for calls that race. */
  atOnce<T>(count: number, call: (storage: EveryStore, n: number) => Promise<T>): Promise<T[]>;
  /** A database with nothing in it. Opening one takes longer than most tests do: what is removed is emptied for the next. */
  openEmpty(): Promise<Lent>;
  /** One that nobody has touched, and whose nodes nobody has listened to. */
  openNew(): Promise<OpenedStorage>;
}

/** Given back by `remove`. */
export type Lent = Pick<OpenedStorage, 'nodes' | 'remove'>;

const entityParts = { entities: entitiesContract };

const otherParts = {
  append: appendContract,
  events: eventsContract,
  'event times': eventTimesContract,
  deliveries: deliveriesContract,
  breakers: breakersContract,
  'dead letters': deadLettersContract,
  'text search': textSearchContract,
  organisations: organisationsContract,
  accounts: accountsContract,
  sessions: sessionsContract,
  'second factors': secondFactorsContract,
  'API keys': apiKeysContract,
  sources: sourcesContract,
  sealed: sealedContract,
  'whole configuration': wholeConfigurationContract,
  audit: auditContract,
  'test events': testEventsContract,
  pipelines: pipelinesContract,
  claims: claimsContract,
  'born claimed': bornClaimedContract,
  settling: settleContract,
  retries: retriesContract,
  replays: replaysContract,
  labels: labelsContract,
  jobs: jobsContract,
  'job files': jobFilesContract,
  'saved views': viewsContract,
  pruning: pruneContract,
  upkeep: upkeepContract,
  nodes: nodesContract,
  counters: countersContract,
  alerts: alertsContract,
  engine: engineContract,
  'present figures': presentFiguresContract,
};

/** All parts of the suite, in two halves that take about as long: a slow engine runs them side by side. */
export const storageParts = {
  entities: entityParts,
  others: otherParts,
  all: { ...entityParts, ...otherParts },
};

/** Every promise of the stores, for any engine. */
export function storageContract(
  name: string,
  open: () => Promise<OpenedStorage>,
  parts: Readonly<Record<string, (subject: Subject) => void>> = storageParts.all,
): void {
  describe(`${name} storage`, () => {
    let opened: OpenedStorage;
    beforeAll(async () => {
      opened = await open();
    });
    const emptied: OpenedStorage[] = [];
    afterAll(() => Promise.all([opened, ...emptied].map(storage => storage.remove())));

    async function openEmpty(): Promise<Lent> {
      const lent = emptied.pop() ?? (await open());
      const { nodes, empty, remove } = lent;
      if (empty === undefined) return { nodes, remove };
      return {
        nodes,
        async remove() {
          empty();
          emptied.push(lent);
        },
      };
    }

    const subject: Subject = {
      get storage() {
        return everyStore(opened.nodes[0]);
      },
      get engine() {
        return opened.nodes[0];
      },
      atOnce: (count, call) =>
        Promise.all(
          Array.from({ length: count }, (_, n) => {
            const node = opened.nodes[n % opened.nodes.length] ?? opened.nodes[0];
            return call(everyStore(node), n);
          }),
        ),
      openEmpty,
      openNew: open,
    };

    for (const [part, contract] of Object.entries(parts)) describe(part, () => contract(subject));
  });
}
