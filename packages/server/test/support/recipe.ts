import { expect } from 'bun:test';
import { type Browser, dataOf, readAll } from './dashboard.ts';
import { newFolder } from './folder.ts';
import { blocksIn, shellBlocks } from './markdown-blocks.ts';
import { until } from './until.ts';

/**
 * A page of the cookbook, carried out from its text: its JSON goes to the private calls that the forms use, its commands to a
 * shell. Only addresses are others: those of the vendors lead to servers on this machine.
 */
interface Kitchen {
  readonly url: string;
  readonly apiKey: string;
  readonly browser: Browser;
  /** What each configuration is read as: addresses of vendors replaced. */
  replace(text: string): string;
}

interface PipelineOfPage {
  readonly name: string;
  readonly sources: readonly string[];
  readonly destinations: readonly { readonly name: string; readonly when?: string }[];
}

const jsonOf = <T>(page: string, about: string, replace: (text: string) => string = text => text): T[] =>
  blocksIn(page)
    .filter(block => block.language === 'json' && block.about === about)
    .map(({ text }) => JSON.parse(replace(text)) as T);

/** What the page says that arrives, in the order that it says it. */
export const arrivalsOf = (page: string): object[] => jsonOf(page, 'arrives');

export const rowsOf = (page: string): object[] => jsonOf<object[]>(page, 'rows').flat();

/** Makes what the page makes; answers the address of its first webhook. */
export async function configure(page: string, { browser, replace, url }: Kitchen): Promise<string | null> {
  const ids = new Map<string, string>();
  let address: string | null = null;
  for (const source of jsonOf<{ name: string }>(page, 'source', replace)) {
    const made = dataOf<{ id: string; token?: string }>(await browser.post('/sources', source));
    ids.set(`source ${source.name}`, made.id);
    if (made.token !== undefined) address ??= `${url}/whk/${made.token}`;
  }
  for (const destination of jsonOf<{ name: string }>(page, 'destination', replace)) {
    const { id } = dataOf<{ id: string }>(await browser.post('/destinations', destination));
    ids.set(`destination ${destination.name}`, id);
  }
  for (const pipeline of jsonOf<PipelineOfPage>(page, 'pipeline', replace)) {
    const known = (kind: string, name: string) => {
      const id = ids.get(`${kind} ${name}`);
      if (id === undefined) throw new Error(`${page} has no ${kind} "${name}".`);
      return id;
    };
    const sources = pipeline.sources.map(name => known('source', name));
    const destinations = pipeline.destinations.map(({ name, ...rest }) => ({
      id: known('destination', name),
      ...rest,
    }));
    dataOf(await browser.post('/pipelines', { ...pipeline, sources, destinations }));
  }
  return address;
}

/** Pastes the commands of the page into one shell; every request must be taken. Answers what they print. */
export async function cook(page: string, { url, apiKey }: Kitchen, source: string | null): Promise<string> {
  const commands = shellBlocks(page)
    .join('\n')
    .replaceAll('http://localhost:8080', url)
    .replaceAll('the-secret-of-your-key', apiKey)
    .replaceAll('the-address-of-your-source', source ?? '');
  const taken = `curl() { command curl --silent --show-error --fail-with-body "$@"; echo; }`;
  const shell = Bun.spawn(['bash', '-eu', '-o', 'pipefail', '-c', `${taken}\n${commands}`], {
    cwd: newFolder(),
    env: { PATH: process.env.PATH },
    stderr: 'pipe',
  });
  const [said, complaints] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
  ]);
  expect(await shell.exited, `${page}: ${said}${complaints}`).toBe(0);
  return said;
}

const FINAL = new Set(['delivered', 'dead', 'cancelled']);

/** Waits until every event has been through its pipelines, and every delivery has come to an end. */
export async function untilQuiet(browser: Browser): Promise<void> {
  await until(async () => {
    const events = await readAll<{ state: string }>(browser, '/events');
    if (events.some(({ state }) => state === 'accepted')) return false;
    const deliveries = await readAll<{ state: string }>(browser, '/deliveries');
    return deliveries.every(({ state }) => FINAL.has(state));
  }, 'Something is still on its way.');
}
