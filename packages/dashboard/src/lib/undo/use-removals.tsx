import { useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { readAllAgain } from '../api/read-all-again.ts';
import { createRemovals, type PendingRemoval, type Removals } from './removals.ts';

/** Removals that can be taken back, for every page: they outlive the one that they were asked for on. */
const Context = createContext<Removals | null>(null);

export function RemovalsProvider(props: {
  children: ReactNode;
  onFailed(message: string, error: unknown): void;
}) {
  const { onFailed } = props;
  const client = useQueryClient();
  const [removals] = useState(() =>
    createRemovals({
      now: () => performance.now(),
      after(ms, act) {
        const timer = setTimeout(act, ms);
        return () => clearTimeout(timer);
      },
      onDone: () => readAllAgain(client),
      onFailed: ({ message }, error) => onFailed(message, error),
    }),
  );
  useEffect(() => {
    const leave = () => void removals.flush(true);
    window.addEventListener('pagehide', leave);
    return () => window.removeEventListener('pagehide', leave);
  }, [removals]);
  return <Context.Provider value={removals}>{props.children}</Context.Provider>;
}

export function useRemovals(): Removals {
  const removals = useContext(Context);
  if (removals === null) throw new Error('Nothing can be removed here.');
  return removals;
}

const NOTHING: readonly PendingRemoval[] = [];
const nothing = () => NOTHING;
const never = () => () => undefined;

export function usePendingRemovals(): readonly PendingRemoval[] {
  const removals = useContext(Context);
  return useSyncExternalStore(removals?.subscribe ?? never, removals?.pending ?? nothing);
}

/** The rows of a list without those that are shown as gone. */
export function useWithoutRemoved<Row, Rows extends readonly Row[] | undefined>(
  list: string,
  rows: Rows,
): Rows {
  const pending = usePendingRemovals();
  return useMemo(() => {
    if (rows === undefined || pending.length === 0) return rows;
    const left = rows.filter(row => !pending.some(removal => removal.hides(list, row)));
    return (left.length === rows.length ? rows : left) as readonly Row[] as Rows;
  }, [list, rows, pending]);
}
