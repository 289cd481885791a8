import { useEffect, useReducer } from 'react';

/**
 * For a choice of which a page has many, most never opened: its list is drawn, and measured, when somebody comes to it by
 * pointer or by keyboard, and stays from then on.
 */
export function useListOnDemand() {
  const [isWanted, want] = useReducer(() => true, false);
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  // Only a list that stands has the id by which screen readers are told that it is open.
  useEffect(() => {
    if (isWanted) drawAgain();
  }, [isWanted]);
  return { comboboxProps: { keepMounted: isWanted }, onPointerEnter: want, onFocus: want };
}
