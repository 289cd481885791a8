import { z } from 'zod';

/** The nodes of the installation and the database that they share, for the operator's organisation alone. */

const nodeRecord = z.object({
  id: z.string(),
  /** The name of its machine; empty where a former version runs, which does not say. */
  host: z.string(),
  /** Empty as above. */
  version: z.string(),
  roles: z.array(z.string()),
  /** When it joined; null where a former version runs. */
  since: z.string().nullable(),
  last_heard_at: z.string(),
  /** The one that has answered. */
  is_this_one: z.boolean(),
  /** Over the last few seconds. */
  per_second: z.object({ accepted: z.number(), processed: z.number(), delivered: z.number() }),
  claimed: z.object({ events: z.number(), deliveries: z.number(), jobs: z.number() }),
});

const standbyRecord = z.object({
  name: z.string(),
  address: z.string().nullable(),
  state: z.string(),
  /** A commit may be waiting for this one. */
  in_quorum: z.boolean(),
  /** What the primary has on its disk and this one has not; null where that is not known yet. */
  behind_bytes: z.number().nullable(),
  /** How long it took to show what was committed last; null once it has shown everything. */
  behind_ms: z.number().nullable(),
});

const nodesRecord = z.object({
  nodes: z.array(nodeRecord),
  /** Null on SQLite, which is a file beside its one node. */
  database: z
    .object({
      /** As `SLUICE_DATABASE_URL` names it. */
      primary: z.string(),
      version: z.string(),
      /** Whom the service signs in as. */
      role: z.string(),
      /** So many standbys have a commit before it is answered. */
      waits_for: z.number(),
      connected: z.number(),
      /** Null where the role may not see how they do. */
      standbys: z.array(standbyRecord).nullable(),
    })
    .nullable(),
});
export type NodesRecord = z.infer<typeof nodesRecord>;
