import { type Curve, type Point, pointOn } from './map-curves.ts';

/**
 * Where the numbers of arrows stand: over no other arrow and over no other number; beside their own where there is room,
 * else on it.
 */

interface Labelled {
  readonly curve: Curve;
  readonly text: string;
  /** How wide the arrow is drawn. */
  readonly stroke: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const LABEL_HEIGHT = 16;
const LETTER_WIDTH = 6.4;
const PADDING = 6;
const AIR = 2;
/** Of an arrow, which stays uncovered. */
const HEAD = 14;
/** So many places of a curve stand for it. */
const SAMPLES = 64;
/** From the middle outwards: there an arrow is furthest from its nodes. */
const ALONG = Array.from({ length: 33 }, (_, n) => 0.5 + (n % 2 === 0 ? 1 : -1) * Math.ceil(n / 2) * 0.0225);

export const labelWidth = (text: string): number => text.length * LETTER_WIDTH + PADDING;

/** The middle of each number, in the order given; null where it has none, or where there is no room for it. */
export function placeLabels(arrows: readonly Labelled[]): (Point | null)[] {
  const drawn = arrows.map(({ curve, stroke }) => ({
    box: boxOf(curve, stroke),
    reach: stroke / 2 + AIR,
    points: Array.from({ length: SAMPLES + 1 }, (_, n) => pointOn(curve, n / SAMPLES)),
  }));
  const taken: Box[] = [];
  const isFree = (box: Box, own: number | null) =>
    taken.every(other => !overlap(box, other)) &&
    drawn.every(({ box: around, reach, points }, n) => {
      if (n === own || !overlap(box, around)) return true;
      return points.every(
        ({ x, y }) => !overlap(box, { left: x, right: x, top: y - reach, bottom: y + reach }),
      );
    });

  return arrows.map(({ curve, text, stroke }, n) => {
    if (text === '') return null;
    const width = labelWidth(text);
    const isBetween = ({ left, right }: Box) => left > curve.begin.x && right < curve.end.x - HEAD;
    const find = (places: Iterable<Point>, own: number | null) => {
      for (const middle of places) {
        const box = around(middle, width, LABEL_HEIGHT);
        if (!isBetween(box) || !isFree(box, own)) continue;
        taken.push(box);
        return middle;
      }
      return null;
    };
    const onIt = ALONG.map(t => pointOn(curve, t));
    return find(placesBeside(curve, stroke), null) ?? find(onIt, n);
  });
}

/** Above it and below it, the further away the steeper it is. */
function* placesBeside(curve: Curve, stroke: number): Generator<Point> {
  const near = LABEL_HEIGHT / 2 + stroke / 2 + AIR + 1;
  for (const t of ALONG) {
    const { x, y } = pointOn(curve, t);
    for (const away of [near, near + 5, near + 10]) {
      yield { x, y: y - away };
      yield { x, y: y + away };
    }
  }
}

const around = ({ x, y }: Point, width: number, height: number): Box => ({
  left: x - width / 2,
  right: x + width / 2,
  top: y - height / 2,
  bottom: y + height / 2,
});

const boxOf = ({ begin, end }: Curve, stroke: number): Box => ({
  left: begin.x,
  right: end.x,
  top: Math.min(begin.y, end.y) - stroke,
  bottom: Math.max(begin.y, end.y) + stroke,
});

export const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right + AIR && b.left < a.right + AIR && a.top < b.bottom && b.top < a.bottom;
