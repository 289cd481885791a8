import { useMemo } from 'react';
import { encode } from 'uqr';
import classes from './account.module.css';

/** What the standard wants free of anything around a code. */
const QUIET_ZONE = 4;

/** A QR code, drawn as one path. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { size, data } = encode(text, { ecc: 'M', border: QUIET_ZONE });
    const squares = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')));
    return { size, path: squares.join('') };
  }, [text]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      className={classes.code}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}
