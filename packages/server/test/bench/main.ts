import { measureAgainst, readAgainst } from './against.ts';
import { bodiesSection } from './bodies.ts';
import { conditionsSection } from './conditions.ts';
import { coresSection } from './cores.ts';
import { costSection } from './cost-on-postgres.ts';
import { dashboardSection } from './dashboard.ts';
import { deliverySection } from './delivery.ts';
import { diskSection } from './disk.ts';
import { attachedSection, endpointsSection, postgresSection } from './endpoints.ts';
import { entitiesSection } from './entities.ts';
import type { Section } from './figure.ts';
import { hangingSection } from './hanging.ts';
import { historySection } from './history.ts';
import { hostileSection } from './hostile.ts';
import { latencySection } from './latency.ts';
import { neighboursSection } from './neighbours.ts';
import { nodesSection } from './nodes.ts';
import { pipelineSection } from './pipeline.ts';
import { resourcesSection } from './resources.ts';
import { sdkKillsSection, sdkSection } from './sdk.ts';
import { formatTable, keepFigures, minutesOf } from './table.ts';

/**
 * `npm run bench [section …]`: measures on this machine, prints a table, and keeps it. Sections that were not
 * asked for keep the figures of their last run.
 */
const sections: readonly Section[] = [
  endpointsSection,
  attachedSection,
  postgresSection,
  bodiesSection,
  historySection,
  pipelineSection,
  conditionsSection,
  deliverySection,
  costSection,
  hangingSection,
  latencySection,
  nodesSection,
  coresSection,
  resourcesSection,
  diskSection,
  neighboursSection,
  hostileSection,
  entitiesSection,
  sdkSection,
  sdkKillsSection,
  dashboardSection,
];

// Whatever ends the run ends the servers that it started: they are told when this process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const args = process.argv.slice(2);
const against = readAgainst(args);
if (typeof against === 'string') giveUp(against, 2);
if (against) {
  console.log(formatTable(await measureAgainst(against)));
  process.exit(0);
}

const unknown = args.find(name => !sections.some(section => section.name === name));
if (unknown !== undefined)
  giveUp(`There is no section "${unknown}". There are: ${sections.map(({ name }) => name).join(', ')}.`, 2);

const asked = sections.filter(({ name }) => args.length === 0 || args.includes(name));
console.log(`This takes about ${minutesOf(asked)} minutes.`);
for (const section of asked) {
  console.log(`\n${section.about} …`);
  const figures = await within(section);
  console.log(formatTable(figures));
  keepFigures(sections, section, figures);
}
process.exit(0);

/** One that hangs ends the run, and with it every server that was started. */
async function within(section: Section): ReturnType<Section['run']> {
  const mostMs = section.minutes * 3 * 60_000;
  const timer = setTimeout(
    () => giveUp(`The section "${section.name}" did not end within ${section.minutes * 3} minutes.`, 1),
    mostMs,
  );
  try {
    return await section.run();
  } finally {
    clearTimeout(timer);
  }
}

function giveUp(why: string, code: number): never {
  console.error(why);
  process.exit(code);
}
