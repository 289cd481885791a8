import { runBesideHostile } from '../support/hostile/beside.ts';
import { atMost, type Section } from './figure.ts';

/** What an organisation whose receivers answer anything whatever costs the process and its neighbour. */
export const hostileSection: Section = {
  name: 'hostile',
  about:
    'Hostile mail servers, databases and receivers of HTTP of one organisation, beside a healthy neighbour',
  minutes: 2,
  async run() {
    const beside = await runBesideHostile();
    const note = ` (of ${beside.answers} hostile answers, ${beside.attempts} attempts)`;
    const p99 = `p99 from the 202 to the neighbour’s receiver, ms`;
    return [
      atMost(
        'deliveries that did not come to an end',
        beside.answers - Math.min(beside.answers, beside.ended),
        0,
        note,
      ),
      atMost('crashes', beside.crashed ? 1 : 0, 0),
      atMost('growth of resident memory, MiB', beside.grownMegabytes, 100),
      atMost(
        'events of the neighbour that did not arrive',
        beside.neighbourSent - beside.neighbourArrived,
        0,
      ),
      atMost(p99, beside.neighbourP99Ms, 100, ` (${Math.round(beside.quietP99Ms)} before)`),
    ];
  },
};
