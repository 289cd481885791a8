/** UTF-8 bytes of an entity's traits as JSON. By itself, for storage: its threads start in half the time without schemas. */
export const MOST_TRAIT_BYTES = 64 * 1024;

/**
 * UTF-8 bytes of what one write merges into them. What there is comes to 64 KiB at the most, and so does what is added. A
 * patch that is this long takes away what is not there, and would keep everybody else's writes waiting.
 */
export const MOST_PATCH_BYTES = 4 * MOST_TRAIT_BYTES;
