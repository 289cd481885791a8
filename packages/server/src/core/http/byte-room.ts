/**
 * A semaphore of bytes: what large bodies may hold together while they come in. A sender who keeps the last bytes of
 * many of them back costs others no memory.
 */
export interface ByteRoom {
  /** False where they do not fit: then nothing is taken. */
  take(bytes: number): boolean;
  /** Gives back what was taken. */
  give(bytes: number): void;
}

export function createByteRoom(bytes: number): ByteRoom {
  let taken = 0;
  return {
    take(wanted) {
      if (taken + wanted > bytes) return false;
      taken += wanted;
      return true;
    },
    give(back) {
      taken -= back;
    },
  };
}

/**
 * A room of so many bytes for each name, and one around them all; nothing is kept of a name that nobody holds anything
 * in.
 */
export function createByteRooms(bytes: number, around: ByteRoom): (name: string) => ByteRoom {
  const taken = new Map<string, number>();
  return name => ({
    take(wanted) {
      const sum = (taken.get(name) ?? 0) + wanted;
      if (sum > bytes || !around.take(wanted)) return false;
      taken.set(name, sum);
      return true;
    },
    give(back) {
      around.give(back);
      const rest = (taken.get(name) ?? 0) - back;
      if (rest > 0) taken.set(name, rest);
      else taken.delete(name);
    },
  });
}
