import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { OPEN_TO_LOOPBACK } from '../support/delivery-process.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startCluster } from '../support/postgres-cluster.ts';
import { TEST_SECRET_KEY, temporaryDirectory } from '../support/service.ts';
import { collectAnswers, collectRows } from './collect.ts';
import { tableOf } from './configuration.ts';
import type { ServedStorage, World } from './faults/fault.ts';
import { faults } from './faults/registry.ts';
import { startFleet } from './fleet.ts';
import { openRunFiles } from './journal.ts';
import type { Logs } from './lines.ts';
import { startListeners } from './listeners.ts';
import { startMoodyModel } from './model.ts';
import { EMAIL, logIn, PASSWORD } from './operator.ts';
import { type Organisation, type Surroundings, setUpOrganisation } from './organisation.ts';
import { createDice } from './random.ts';
import { ALLOWED_ADDRESSES, startReceivers } from './receivers.ts';
import { type PlannedFault, planFaults, type RunOptions } from './schedule.ts';
import { filesIn, lookForSecrets, type NamedSecret, rowsIn } from './secrets.ts';
import { startSenders } from './senders.ts';
import { untilDrained, watchEnds } from './watch.ts';

/** One run: everything is set up, tormented, left to come to rest, and asked what became of it all. */
export interface Run {
  readonly logs: Logs;
  readonly planned: readonly PlannedFault[];
  /** When the load began and ended, and when nothing was left to do. */
  readonly marks: Readonly<Record<'began' | 'ended' | 'drained', number>>;
}

const ORGANISATIONS = ['alpha', 'beta'];
/** Of the disk of each PostgreSQL server: enough for the run, and soon full. */
const smallDiskMb = ({ seconds }: RunOptions) => 128 + Math.round(seconds / 3);
const DRAIN_MS = 240_000;

export async function runTorture(
  options: RunOptions & { readonly folder: string; readonly pauseMs: number },
  say: (line: string) => void,
): Promise<Run> {
  const files = openRunFiles(options.folder);
  const directory = temporaryDirectory();
  const planned = planFaults(options);
  const secrets: NamedSecret[] = [
    ['secret key', TEST_SECRET_KEY],
    ['password', PASSWORD],
  ];
  const onSecret = (name: string, secret: string) => void secrets.push([name, secret]);
  const storage = options.engine === 'postgres' ? await startStorage(options) : null;
  const rows = await freshDatabase();
  const [receivers, model] = [await startReceivers(files), startMoodyModel(files)];
  const fleet = await startFleet(
    {
      nodes: options.nodes,
      directory,
      settings: {
        ...OPEN_TO_LOOPBACK,
        SLUICE_ALLOW_ADDRESSES: ALLOWED_ADDRESSES,
        SLUICE_ADMIN_EMAIL: EMAIL,
        SLUICE_ADMIN_PASSWORD: PASSWORD,
        SLUICE_MAX_ORGANISATIONS_PER_USER: '1000',
        SLUICE_LOG_LEVEL: 'info',
        ...(storage
          ? {
              SLUICE_DATABASE_URL: storage.cluster.url(storage.database),
              SLUICE_REQUIRE_REPLICAS: '1',
            }
          : {}),
      },
    },
    files,
  );
  try {
    await fleet.ready();
    const surroundings: Surroundings = {
      fleet,
      files,
      receivers,
      model,
      databaseUrl: rows.url,
      onSecret,
    };
    const doomed = planned.filter(({ kind }) => kind === 'delete-organisation').map(({ target }) => target);
    await makeTables(rows.url, [...ORGANISATIONS, ...doomed]);
    const organisations = await setUpOrganisations(ORGANISATIONS, surroundings);
    const doomedOrganisations = await setUpOrganisations(doomed, surroundings);
    for (const [name, url] of [
      ['storage', storage?.cluster.members[0]?.url(storage.database)] as const,
      ['destination', rows.url] as const,
    ])
      if (url) onSecret(`password of the database as ${name}`, new URL(url).password);

    const began = files.now();
    say(`The load begins: ${planned.length} faults within ${options.seconds} s.`);
    const senders = startSenders({ fleet, files }, organisations, options);
    const watching = watchEnds(files, organisations);
    const listeners = startListeners(fleet, receivers, organisations);
    const dice = createDice(options.seed, 'faults');
    const world: World = {
      ...{ files, fleet, receivers, model, organisations, doomedOrganisations, senders, storage, dice },
      onSecret,
      inTurn: createTurns(),
    };
    const [traps] = await Promise.all([
      Promise.all(planned.map(fault => carryOut(world, fault, began, say))),
      Bun.sleep(options.seconds * 1_000),
    ]);
    receivers.allWell();
    fleet.setClock(0);
    await senders.stop();
    const ended = files.now();

    say('The load is over. One last restart, and everything comes to rest.');
    for (let node = 0; node < fleet.size; node++) fleet.signal(node, 'SIGKILL');
    await senders.settle();
    await watching.stop();
    await untilDrained(files, organisations, DRAIN_MS);
    const drained = files.now();
    await listeners.stop();
    for (const organisation of organisations) {
      await collectAnswers(files, organisation);
      await collectRows(files, rows.url, organisation.name);
    }
    await fleet.stop();
    for (const writeDown of traps) writeDown();
    lookForSecrets(files, secrets, {
      'what nodes printed': fleet.output(),
      'what the dashboard answered': readFileSync(join(files.folder, 'final.jsonl')),
      'what senders were answered': readFileSync(join(files.folder, 'senders.jsonl')),
      ...filesIn(directory),
      ...(storage ? await rowsIn((await storage.cluster.primary()).url(storage.database)) : {}),
    });
    return { logs: files.read(), planned, marks: { began, ended, drained } };
  } finally {
    await fleet.stop();
    await Promise.all([receivers.stop(), model.stop(), rows.drop(), storage?.cluster.remove()]);
    files.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startStorage(options: RunOptions): Promise<ServedStorage> {
  const cluster = await startCluster({ smallDiskMb: smallDiskMb(options) });
  return { cluster, database: await cluster.freshDatabase() };
}

async function makeTables(url: string, organisations: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const organisation of organisations)
    await client.query(`CREATE TABLE ${tableOf(organisation)} (event_id text UNIQUE, type text)`);
  await client.end();
}

async function setUpOrganisations(
  names: readonly string[],
  surroundings: Surroundings,
): Promise<Organisation[]> {
  const owner = await logIn(surroundings, null);
  const organisations: Organisation[] = [];
  for (const name of names) {
    const { data } = await owner.call<{ id: string }>('POST', '/organisations', { name });
    organisations.push(await setUpOrganisation(name, data.id, surroundings));
  }
  return organisations;
}

/** At its time; written down when it is over. Where only the end of all nodes shows whether anybody met it, what is answered writes it down. */
async function carryOut(
  world: World,
  fault: PlannedFault,
  began: number,
  say: (line: string) => void,
): Promise<() => void> {
  const { files } = world;
  await Bun.sleep(Math.max(0, began + fault.at - files.now()));
  let at = files.now();
  // What waits for its turn has not begun.
  const inTurn: World['inTurn'] = (name, work) =>
    world.inTurn(name, () => {
      at = files.now();
      return work();
    });
  const { kind } = fault;
  const done = await faults[kind]({ ...world, inTurn }, fault);
  if (done === null) return () => {};
  const until = files.now();
  const line = { at, until, kind };
  const { detail } = typeof done === 'string' ? { detail: done } : done;
  say(`${(at / 1_000).toFixed(1)} s  ${kind}: ${detail}`);
  if (typeof done === 'string') {
    files.write('faults', { ...line, met: true, detail });
    return () => {};
  }
  const { trace, met } = done;
  return () => {
    const times = met();
    const what = `${detail}; times met: ${times}`;
    files.write('faults', { ...line, met: times > 0, detail: what, ...(trace ? { trace } : {}) });
  };
}

function createTurns(): World['inTurn'] {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const turn = (last.get(name) ?? Promise.resolve()).then(work);
    last.set(
      name,
      turn.catch(() => {}),
    );
    return turn;
  };
}
