import { useRef, useState } from 'react';
import { isSame } from './changes.ts';

interface FormBaseline<Parts> {
  /** What the form began with. */
  readonly begun: Parts;
  /** Rises whenever the form is reset: its `key`. */
  readonly edition: number;
  /** What is stored has become another while somebody was filling in the form. */
  readonly isOvertaken: boolean;
  /** Somebody is filling in the form. */
  touch(): void;
  /** Resets it to these, in place of whatever was typed. */
  begin(parts: Parts): void;
  /** Called when a save begins; what it answers takes in what was saved. What is typed in between stays. */
  save(): (saved: Parts) => void;
}

/**
 * A form over something that others may change while it is open. While nobody has touched it, it follows what is
 * stored; what somebody has typed is never thrown away for them.
 */
export function useFormBaseline<Parts>(now: Parts): FormBaseline<Parts> {
  const [{ begun, edition }, setBegun] = useState({ begun: now, edition: 0 });
  const [isTouched, setTouched] = useState(false);
  const touches = useRef(0);
  const touch = () => {
    touches.current++;
    setTouched(true);
  };
  const begin = (parts: Parts) => {
    setBegun(before => ({ begun: parts, edition: before.edition + 1 }));
    setTouched(false);
  };
  const save = () => {
    const before = touches.current;
    return (saved: Parts) => {
      if (touches.current === before) begin(saved);
      else setBegun({ begun: saved, edition });
    };
  };
  const isOld = !isSame(begun, now);
  if (isOld && !isTouched) begin(now);
  return { begun, edition, isOvertaken: isOld && isTouched, touch, begin, save };
}
