/** The most that is sent at once, all destinations together, as far as fairness allows to say no. */
const MOST_AT_ONCE = 2_000;
/** What nobody is denied, however many others there are. */
const LEAST = 4;

/**
 * How many deliveries one destination may have on their way at once, whatever its own limit says. Organisations
 * share what there is, and within each its destinations do. A share is always reckoned as if one more were about to
 * come, so that whoever comes next finds room although everybody else hangs.
 */
export function shareOf(organisations: number, destinationsOfThisOne: number): number {
  const ofOrganisation = Math.floor(MOST_AT_ONCE / (organisations + 1));
  return Math.max(LEAST, Math.floor(ofOrganisation / (destinationsOfThisOne + 1)));
}
