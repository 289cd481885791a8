/** The one relation without a direction: both ends are the same identity. */
export const SAME_AS = 'same_as';

/** What a graph or an identity shows at most. */
export const MOST_GRAPH_NODES = 1_000;
