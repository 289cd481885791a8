import classes from './sparkline.module.css';

const WIDTH = 100;
const HEIGHT = 28;

/** A line so small that it only says which way something goes; whoever wants figures finds them beside it. */
export function Sparkline({
  values,
  isBad = false,
}: {
  values: readonly (number | null)[];
  isBad?: boolean;
}) {
  const highest = Math.max(1, ...values.map(value => value ?? 0));
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map(
    (value, n) => `${round(n * step)},${round(HEIGHT - 1 - ((value ?? 0) / highest) * (HEIGHT - 3))}`,
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
