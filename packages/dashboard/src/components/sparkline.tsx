import classes from './sparkline.module.css';

const WIDTH = 100;
const HEIGHT = 28;

/** A line so small that it only says which way something goes; whoever wants figures finds them beside it. */
export function Sparkline({
  values,
  isOpen = false,
  isBad = false,
}: {
  values: readonly number[];
  /** The last one is of a time that is not over yet, and would look like a drop: it is left out. */
  isOpen?: boolean;
  isBad?: boolean;
}) {
  const drawn = isOpen && values.length > 1 ? values.slice(0, -1) : values;
  const highest = Math.max(1, ...drawn);
  const step = WIDTH / Math.max(1, drawn.length - 1);
  const points = drawn.map(
    (value, n) => `${round(n * step)},${round(HEIGHT - 1 - (value / highest) * (HEIGHT - 3))}`,
  );
  return (
    <svg
      className={classes.line}
      data-bad={isBad || undefined}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline points={points.join(' ')} />
    </svg>
  );
}

const round = (value: number): number => Math.round(value * 100) / 100;
