import { until } from '../support/until.ts';

/**
 * Waits until a service has nothing left to do: every event that it took is settled, and every one that was routed
 * came to so many deliveries that have ended. Its gauges of what waits are only looked up now and then; these count.
 */
export async function untilAtRest(url: string, deliveriesAnEvent: number, withinMs = 120_000): Promise<void> {
  await until(
    async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      const total = (series: string) => sumOf(text, series);
      return (
        total('sluice_events_settled_total') >= total('sluice_events_committed_total') &&
        total('sluice_deliveries_ended_total') >=
          total('sluice_events_settled_total{state="processed"}') * deliveriesAnEvent
      );
    },
    'It does not come to rest.',
    withinMs,
  );
}

/** Over all label values, where the series is named without them. */
function sumOf(text: string, series: string): number {
  return text
    .split('\n')
    .filter(line => line.startsWith(`${series} `) || line.startsWith(`${series}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
