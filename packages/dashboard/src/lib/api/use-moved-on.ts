import { useEffect, useRef } from 'react';

/** Calls back when a list that is the same one begins later than before: its span has moved on. */
export function useMovedOn(key: string, after: string | undefined, onMoved: () => void): void {
  const before = useRef({ key, after });
  const turn = useRef(onMoved);
  turn.current = onMoved;
  useEffect(() => {
    const hasMoved = before.current.key === key && before.current.after !== after;
    before.current = { key, after };
    if (hasMoved) turn.current();
  }, [key, after]);
}
