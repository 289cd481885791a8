/** UTF-8 bytes of an entity's traits as JSON. By itself, for storage: its threads start in half the time without schemas. */
export const MOST_TRAIT_BYTES = 64 * 1024;
