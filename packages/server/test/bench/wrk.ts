import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { together } from './cost.ts';
import type { Meter, Spent } from './meter.ts';

/** What one run of wrk saw. */
export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Null where the load was not metered. */
  readonly spent: Spent | null;
}

export interface Load {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly connections?: number;
  /** Lua that makes each request, where they are not all the same. */
  readonly script?: string;
  readonly metering?: Metering;
}

/** How to find out what a load costs the one that takes it. */
interface Metering {
  readonly events: number;
  readonly meter: Meter;
  /** Waits until whatever the load left behind is done: it is part of the cost, and must not fall on the next turn. */
  rest(): Promise<void>;
}

/** Drives one URL with one body and refuses to count a run in which anything but 2xx was answered. */
export async function drive(load: Load): Promise<LoadResult> {
  const { metering } = load;
  const stopMeter = await metering?.meter.start();
  const seen = await runWrk(load);
  await metering?.rest();
  const spent = (await stopMeter?.(seen.requests * (metering?.events ?? 1))) ?? null;
  return { ...seen, spent };
}

async function runWrk(load: Load): Promise<Omit<LoadResult, 'spent'>> {
  const stem = join(tmpdir(), `sluice-wrk-${process.pid}-${Math.random().toString(36).slice(2)}`);
  writeFileSync(`${stem}.body`, load.body);
  const headers = { 'Content-Type': 'application/json', ...load.headers };
  writeFileSync(
    `${stem}.lua`,
    [
      'wrk.method = "POST"',
      `wrk.body = io.open(${JSON.stringify(`${stem}.body`)}, "rb"):read("*a")`,
      ...Object.entries(headers).map(
        ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
      ),
      load.script ?? '',
    ].join('\n'),
  );
  try {
    const wrk = Bun.spawn(
      [
        'wrk',
        '-t1',
        `-c${load.connections ?? 64}`,
        `-d${load.seconds}s`,
        '--latency',
        '-s',
        `${stem}.lua`,
        load.url,
      ],
      { stdout: 'pipe', stderr: 'inherit' },
    );
    return parse(await new Response(wrk.stdout).text());
  } finally {
    rmSync(`${stem}.body`);
    rmSync(`${stem}.lua`);
  }
}

function parse(report: string): Omit<LoadResult, 'spent'> {
  if (/Non-2xx|Socket errors/.test(report))
    throw new Error(`Not every request was answered well:\n${report}`);
  const find = (pattern: RegExp) => {
    const found = pattern.exec(report);
    if (!found) throw new Error(`wrk said something unexpected:\n${report}`);
    return found;
  };
  const milliseconds = (percentile: string) => {
    const [, value = '', unit = ''] = find(new RegExp(`${percentile}%\\s+([\\d.]+)(us|ms|s)`));
    return Number(value) * { us: 0.001, ms: 1, s: 1_000 }[unit as 'us' | 'ms' | 's'];
  };
  return {
    requests: Number(find(/(\d+) requests in/)[1]),
    requestsPerSecond: Number(find(/Requests\/sec:\s+([\d.]+)/)[1]),
    p50Ms: milliseconds('50'),
    p99Ms: milliseconds('99'),
  };
}

/** Turn and turn about, so that whatever else the machine does falls on all alike; the median of each. */
export async function compare(loads: readonly Load[], rounds: number): Promise<LoadResult[]> {
  for (const load of loads) await drive({ ...load, seconds: 2 });
  const results = loads.map((): LoadResult[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, load] of loads.entries()) results[i]?.push(await drive(load));
  }
  return results.map(runs => {
    const spent = runs.flatMap(run => (run.spent ? [run.spent] : []));
    return {
      requests: median(runs.map(run => run.requests)),
      requestsPerSecond: median(runs.map(run => run.requestsPerSecond)),
      p50Ms: median(runs.map(run => run.p50Ms)),
      p99Ms: median(runs.map(run => run.p99Ms)),
      spent: spent.length > 0 ? together(spent) : null,
    };
  });
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
