/** What the installation keeps about itself, and what goes when its time is over. */
export interface UpkeepStore {
  /**
   * Small facts about the installation itself, such as the check value of the secret key: keeps the first value ever
   * written under that name, and answers it.
   */
  keepSetting(name: string, value: string): Promise<string>;
  /** That value, without keeping one; null where there is none. */
  findSetting(name: string): Promise<string | null>;
  /** Replaces that value, unless somebody else has meanwhile. */
  replaceSetting(name: string, from: string, to: string): Promise<boolean>;
  /** Removes at most `limit` keys, sessions and invitations that have expired; answers how many. */
  pruneExpired(now: number, limit: number): Promise<number>;
  /**
   * Removes about `limit` rows that deleted organisations left behind, and answers how many; 0 when nothing is left. It
   * goes on where it was, whatever happened in between.
   */
  pruneDeleted(now: number, limit: number): Promise<number>;
  /** Lets `pruneDeleted` take up again what was written for a deleted organisation after nothing of it was left. */
  reopenDeleted(): Promise<void>;
  /**
   * Removes at most `limit` of each: dedupe keys that have expired, labels that nobody has used and jobs that were
   * finished since the cutoff, and what is left of pipelines that are gone. Answers how many at most of one sort.
   */
  pruneProcessing(now: number, unusedSince: number, limit: number): Promise<number>;
  /**
   * One more node, from now on; answers the roles of every node that is alive, itself included. Where storage is not
   * shared it is the only one, and all before it are dead: what they took with them is counted again at once.
   */
  join(node: JoiningNode, isAlone: boolean): Promise<string[][]>;
  /** This node is alive; answers as `join`, or null where it has been silent for too long and is dead. */
  heartbeat(nodeId: string, rates?: NodeRates): Promise<string[][] | null>;
  /** Every node that nobody has declared dead, the first that joined first, with what it has claimed. */
  listNodes(): Promise<ListedNode[]>;
  /** Declares those dead that have been silent for too long, by the clock of the database, and answers them. */
  buryNodes(by: string): Promise<string[]>;
  /**
   * Counts again what nodes may have taken with them that were declared dead so long ago, by the clock of the database:
   * by then the others have written what they had counted of the same minutes. Does one piece of it, and answers whether
   * there was one.
   */
  recountAfter(ms: number): Promise<boolean>;
  /** This node is about to end: what it took a share of belongs to the others at once. */
  leave(nodeId: string): Promise<void>;
  /** The tokens of all that is claimed, with the nodes that are alive: what another had claimed is free. */
  listClaims(): Promise<ClaimTokens & { readonly nodes: readonly string[] }>;
  /** Frees about `limit` of each that are claimed so; answers how many in all, and 0 where nothing is. */
  freeClaims(tokens: ClaimTokens, limit: number, at: number): Promise<number>;
}

interface JoiningNode {
  readonly id: string;
  readonly roles: readonly string[];
  readonly version: string;
  /** The name of its machine. */
  readonly host: string;
}

/** What a node gets done in a second. */
export interface NodeRates {
  readonly accepted: number;
  readonly processed: number;
  readonly delivered: number;
}

export interface ListedNode extends JoiningNode {
  /** By the clock of the database, as all that nodes know of each other. */
  readonly joinedAt: number;
  readonly silentMs: number;
  readonly rates: NodeRates;
  readonly claimed: { readonly events: number; readonly deliveries: number; readonly jobs: number };
}

/** Tokens by what was claimed with them. Each begins with the id of its node, before a blank. */
export interface ClaimTokens {
  readonly events: readonly string[];
  readonly deliveries: readonly string[];
  readonly probes: readonly string[];
  /** Connections of listeners. */
  readonly listeners: readonly string[];
  readonly jobs: readonly string[];
  readonly labels: readonly string[];
}

/** Where it is written down which organisation is the operator's. */
export const OPERATOR_SETTING = 'operator_organisation';
