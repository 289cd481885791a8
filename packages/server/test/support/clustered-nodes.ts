import { ingestWith } from './endpoints.ts';
import { createLoad, expectPromisesKept, type Load } from './load.ts';
import { type ClusterMember, type PostgresCluster, startCluster, untilFollowed } from './postgres-cluster.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from './service.ts';
import { until } from './until.ts';

/**
 * Two nodes on three servers, of which a commit waits for two. Whatever is taken away, senders repeat until they are
 * answered; at the end everything that was acknowledged is there, once.
 */
export interface ClusteredNodes {
  readonly cluster: PostgresCluster;
  readonly database: string;
  readonly nodes: readonly TestService[];
  readonly one: TestService;
  readonly seed: Seed;
  send(
    events: readonly object[],
    headers?: Record<string, string>,
  ): ReturnType<ReturnType<typeof ingestWith>>;
  /** Sends meanwhile, and then sees that everything was accepted that senders repeated, and is there. */
  underLoad(
    disturb: (accepted: (more: number) => Promise<void>, answers: Answers) => Promise<void>,
  ): Promise<void>;
  primaryAndStandbys(): Promise<{ primary: ClusterMember; standbys: readonly ClusterMember[] }>;
  /** Makes what is dead a standby again. */
  bringBack(name: string): Promise<void>;
  stop(): Promise<void>;
}

type Answers = ReturnType<Load['persist']>['answers'];

export async function startClusteredNodes(): Promise<ClusteredNodes> {
  const cluster = await startCluster();
  const database = await cluster.freshDatabase();
  const settings = { SLUICE_DATABASE_URL: cluster.url(database), SLUICE_REQUIRE_REPLICAS: '1' };
  // On an empty database, at once: one of them makes the tables.
  const [one, other] = await Promise.all([startTestService({ settings }), startTestService({ settings })]);
  const nodes = [one, other];
  const seed = await seedOrganisation(one.engine);
  const load = createLoad(seed, await seed.source('hmac'));
  return {
    ...{ cluster, database, nodes, one, seed },
    send: (events, headers = {}) => ingestWith(one.url, seed.apiKey)({ events }, headers),
    async underLoad(disturb) {
      const { answers, stop } = load.persist(nodes.map(({ url }) => url));
      const count = () => answers.filter(({ status }) => status === 202).length;
      const accepted = async (more: number) => {
        const enough = count() + more;
        await until(() => count() >= enough, 'Nothing is accepted any more.');
      };
      await accepted(30);
      await disturb(accepted, answers);
      await accepted(30);
      await stop();
      await expectPromisesKept(one.engine, seed.orgId, load.requests);
    },
    async primaryAndStandbys() {
      const primary = await cluster.primary();
      return { primary, standbys: cluster.members.filter(member => member !== primary) };
    },
    async bringBack(name) {
      const primary = await cluster.primary();
      await cluster.members.find(member => member.name === name)?.follow(primary);
      await untilFollowed(primary, 2);
    },
    async stop() {
      await Promise.all(nodes.map(node => node.stop()));
      await cluster.remove();
    },
  };
}
