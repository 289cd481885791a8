import type { ChartWindow } from '@sluice/contract/chart-window';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { brushedTime } from './brushed-time.ts';
import classes from './time-brush.module.css';

/** A press that moves no further than this is a press. */
const LEAST_PX = 5;

interface BrushProps {
  /** The steps of the chart inside, left to right, each as wide as the others. */
  readonly window: ChartWindow;
  /** A selector of the part of the chart that the time runs along; absent: all of it. */
  readonly plot?: string;
  /** A stretch was chosen: whole steps, in epoch milliseconds. */
  onBrush(from: number, to: number): void;
}

/**
 * Lets a stretch of time be chosen by drawing over a chart; Escape gives it up. Whoever has no pointer chooses it by
 * fields, so a page that has this has those too.
 */
export function TimeBrush({ children, ...props }: BrushProps & { children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const [mark, setMark] = useState<Mark | null>(null);
  // A chart that moves on by itself must not end what is being drawn.
  const latest = useRef<BrushProps>(props);
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    return followPointer(element, latest, setMark);
  }, []);

  return (
    <div ref={frame} className={classes.frame}>
      {children}
      {mark && <div className={classes.mark} style={mark} data-testid="brushed" />}
    </div>
  );
}

/** Where it is drawn, from the left and the top of the chart. */
interface Mark {
  readonly left: number;
  readonly width: number;
  readonly top: number;
  readonly height: number;
}

function followPointer(
  frame: HTMLElement,
  latest: { readonly current: BrushProps },
  setMark: (mark: Mark | null) => void,
): () => void {
  let end = () => {};

  function begin(down: PointerEvent): void {
    if (down.button !== 0 || !down.isPrimary) return;
    const { window: steps, plot } = latest.current;
    const outer = frame.getBoundingClientRect();
    const box = (plot ? frame.querySelector(plot) : null)?.getBoundingClientRect() ?? outer;
    const isOn = down.clientX >= box.left && down.clientX <= box.right;
    if (!isOn || down.clientY < box.top || down.clientY > box.bottom || box.width === 0) return;

    const within = (x: number) => Math.min(Math.max(x, box.left), box.right);
    const share = (x: number) => (within(x) - box.left) / box.width;
    let isDrawn = false;

    const move = ({ clientX }: PointerEvent) => {
      isDrawn ||= Math.abs(clientX - down.clientX) >= LEAST_PX;
      if (!isDrawn) return;
      const [left, right] = [
        Math.min(within(clientX), down.clientX),
        Math.max(within(clientX), down.clientX),
      ];
      setMark({
        left: left - outer.left,
        width: right - left,
        top: box.top - outer.top,
        height: box.height,
      });
    };
    const leave = ({ clientX }: PointerEvent) => {
      end();
      if (!isDrawn) return;
      const chosen = brushedTime(steps, share(down.clientX), share(clientX));
      latest.current.onBrush(chosen.from, chosen.to);
    };
    const giveUp = (event: Event) => {
      if (!(event instanceof KeyboardEvent) || event.key === 'Escape') end();
    };

    end();
    end = () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', leave);
      removeEventListener('pointercancel', giveUp);
      removeEventListener('keydown', giveUp);
      setMark(null);
      end = () => {};
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', leave);
    addEventListener('pointercancel', giveUp);
    addEventListener('keydown', giveUp);
  }

  frame.addEventListener('pointerdown', begin);
  return () => {
    frame.removeEventListener('pointerdown', begin);
    end();
  };
}
