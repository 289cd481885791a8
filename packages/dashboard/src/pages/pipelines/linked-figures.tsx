import type { PipelineRowFigures } from '@sluice/contract/dashboard-figures';
import { Link } from '@tanstack/react-router';
import type { FiguresTime } from '../../components/figures-time.tsx';
import { formatCapped, formatNumber } from '../../lib/format.ts';

/** Figures of a pipeline that lead to the events that they count. */

interface Linked<Name extends keyof PipelineRowFigures> {
  id: string;
  figures: Pick<PipelineRowFigures, Name>;
  time: FiguresTime;
}

export const CameIn = ({ id, figures, time }: Linked<'in'>) => (
  <Link to="/events" search={{ pipeline: id, within: time.name }}>
    {formatNumber(figures.in)}
  </Link>
);

export const FailedNow = ({ id, figures, time }: Linked<'failed'>) => (
  <Link to="/dead-letters" search={{ kind: 'event', pipeline: id, within: time.name }}>
    {formatCapped(figures.failed)}
  </Link>
);
