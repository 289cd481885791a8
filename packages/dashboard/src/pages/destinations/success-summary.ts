import type { CountersRecord } from '@sluice/contract/dashboard-overview';

const total = (line: readonly number[] | undefined): number => (line ?? []).reduce((sum, n) => sum + n, 0);

/** `412 delivered, 3 tries failed, 1 gave up: 99.3 % of tries arrived`; null where nothing was sent. */
export function describeSuccess(series: CountersRecord['series']): string | null {
  const [delivered, failed, dead] = [total(series.delivered), total(series.failed), total(series.dead)];
  const tries = delivered + failed;
  if (tries === 0) return null;
  const parts = [
    `${count(delivered)} delivered`,
    ...(failed > 0 ? [`${count(failed)} ${failed === 1 ? 'try' : 'tries'} failed`] : []),
    ...(dead > 0 ? [`${count(dead)} given up`] : []),
  ];
  return `${parts.join(', ')}: ${share(delivered / tries)} of tries arrived.`;
}

const count = (n: number): string => n.toLocaleString('en');

/** Never rounded up to all, or down to none. */
function share(part: number): string {
  if (part === 0 || part === 1) return `${part * 100} %`;
  return `${Math.min(99.9, Math.max(0.1, Math.round(part * 1_000) / 10))} %`;
}
