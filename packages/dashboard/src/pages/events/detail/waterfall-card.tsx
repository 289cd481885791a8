import { Anchor, Text } from '@mantine/core';
import type { EventRecord } from '@sluice/contract/dashboard-letters';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Card } from '../../../components/card.tsx';
import { useStepTitles } from '../../../lib/use-step-titles.ts';
import { type TimeAxis, timeAxisOf } from './time-axis.ts';
import classes from './waterfall.module.css';
import { formatMs, type WaterfallLine, waterfallOf } from './waterfall.ts';

/** Where the time went: from the moment it was accepted to the last attempt, each as a line with its bar. */
export function WaterfallCard({ event }: { event: EventRecord }) {
  const titleOf = useStepTitles();
  const lines = useMemo(() => waterfallOf(event, titleOf), [event, titleOf]);
  const axis = useMemo(() => timeAxisOf(lines), [lines]);
  if (lines.length < 2) return null;
  return (
    <Card
      title="Waterfall"
      lead={`Milliseconds since it was accepted${axis.folds.length > 0 ? '; hatched stretches are shortened' : ''}`}
    >
      <ol className={classes.lines} aria-label="Waterfall">
        {lines.map(line => (
          <Line key={line.key} line={line} axis={axis} />
        ))}
      </ol>
    </Card>
  );
}

function Line({ line, axis }: { line: WaterfallLine; axis: TimeAxis }) {
  const { what, to, from, took, waited, outcome, note, isPart } = line;
  const text = (
    <Text span size="sm" {...(isPart ? {} : { fw: 600 })} inherit={to !== undefined}>
      {what}
    </Text>
  );
  return (
    <li className={classes.line} data-part={isPart || undefined}>
      <span className={classes.what}>
        {to === undefined ? (
          text
        ) : (
          <Anchor component={Link} to={to} size="sm">
            {text}
          </Anchor>
        )}
        {note !== null && (
          <Text span size="xs" c="dimmed" className={classes.note ?? ''} title={note}>
            {note}
          </Text>
        )}
      </span>
      <span className={`${classes.from} numbers`}>
        <span className={classes.spoken}>after </span>
        <span aria-hidden>+</span>
        {formatMs(from)}
      </span>
      <span className={`${classes.took} numbers`}>
        {took !== null && (
          <>
            <span className={classes.spoken}>, took </span>
            {took === 0 ? '<1 ms' : formatMs(took)}
          </>
        )}
        {waited !== null && (
          <span className={classes.waited}>
            <span className={classes.spoken}>, </span>
            waited {formatMs(waited)}
          </span>
        )}
      </span>
      <Track line={line} axis={axis} outcome={outcome} />
    </li>
  );
}

function Track(props: { line: WaterfallLine; axis: TimeAxis; outcome: WaterfallLine['outcome'] }) {
  const { line, axis, outcome } = props;
  const { from, took, waited } = line;
  const [begin, end] = [axis.at(from), axis.at(from + (took ?? 0))];
  const waitedFrom = waited === null ? begin : axis.at(from - waited);
  return (
    <span className={classes.track} aria-hidden>
      {axis.folds.map(fold => (
        <span key={fold.from} className={classes.fold} style={placed(fold.from, fold.to)} />
      ))}
      {waitedFrom < begin && <span className={classes.wait} style={placed(waitedFrom, begin)} />}
      <span className={classes.bar} data-outcome={outcome} style={placed(begin, end)} />
    </span>
  );
}

const placed = (from: number, to: number) => ({ left: `${from}%`, width: `${Math.max(0, to - from)}%` });
