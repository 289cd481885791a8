import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { Replication } from '../../../core/stores/engine.ts';
import type { ListedNode, NodeRates } from '../../../core/stores/upkeep.ts';
import type { OperatorOrganisation } from '../access/operator.ts';
import type { Calls } from '../calls.ts';

/** The nodes that share the work, as one of them finds them. */
export interface Fleet {
  listNodes(): Promise<ListedNode[]>;
  /** Who answers here, which knows its own rates best. */
  self(): { readonly id: string | null; readonly rates: NodeRates };
  replication(): Promise<Replication | null>;
}

/** What runs, and what it runs on. That concerns all organisations, so it is shown to the operator's alone. */
export function nodeCalls(
  calls: Calls,
  {
    clock,
    operator,
    fleet,
  }: { readonly clock: Clock; readonly operator: OperatorOrganisation; readonly fleet: Fleet },
): void {
  calls.on('GET /nodes', 'read', async call => {
    if (!(await operator.isOf(call.session.orgId))) {
      throw new Problem('forbidden', {
        message: 'Nodes are shown to the organisation that was created first, which is the operator’s.',
      });
    }
    const [nodes, database] = await Promise.all([fleet.listNodes(), fleet.replication()]);
    const self = fleet.self();
    const now = clock.now();
    return call.answer({
      nodes: nodes.map(node => {
        const isThisOne = node.id === self.id;
        const { id, host, version, roles, joinedAt, silentMs, rates, claimed } = node;
        return {
          id,
          host,
          version,
          roles: [...roles],
          since: joinedAt === 0 ? null : toRfc3339(joinedAt),
          last_heard_at: toRfc3339(isThisOne ? now : now - silentMs),
          is_this_one: isThisOne,
          per_second: isThisOne ? self.rates : rates,
          claimed,
        };
      }),
      database: database && toDatabaseRecord(database),
    });
  });
}

const toDatabaseRecord = ({ waitsFor, standbys, ...database }: Replication) => ({
  ...database,
  waits_for: waitsFor,
  standbys:
    standbys?.map(({ isInQuorum, behindBytes, behindMs, ...standby }) => ({
      ...standby,
      in_quorum: isInQuorum,
      behind_bytes: behindBytes,
      behind_ms: behindMs,
    })) ?? null,
});
