/**
 * How far is counted what has to be looked at: the same in every list, chart, banner and figure, so that none says more
 * than another. Beyond it a person only wants to know that it is more.
 */
export const MOST_COUNTED = 10_000;
