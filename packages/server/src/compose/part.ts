/**
 * A part of the service with a life of its own. Building one starts nothing; it starts once the service listens, and
 * stops whether or not it was started.
 */
export interface Part {
  start(): void;
  stop(): Promise<void>;
}

/** Stops one group after the other, the parts of a group side by side. What goes wrong with one keeps no other up. */
export async function stopAll(
  groups: readonly (readonly Pick<Part, 'stop'>[])[],
  onError: (error: unknown) => void,
): Promise<void> {
  for (const group of groups) {
    await Promise.all(group.map(async part => part.stop()).map(stopped => stopped.catch(onError)));
  }
}
