/** A signal: notifies its listeners that something happened, without knowing them. */
export interface Signal<Args extends readonly unknown[] = []> {
  raise(...args: Args): void;
  on(listener: (...args: Args) => void): void;
}

export function createSignal<Args extends readonly unknown[] = []>(): Signal<Args> {
  const listeners: ((...args: Args) => void)[] = [];
  return {
    raise(...args) {
      for (const listener of listeners) listener(...args);
    },
    on: listener => void listeners.push(listener),
  };
}
