import type { LifeLine } from '../lines.ts';
import type { Evidence, Invariant } from './evidence.ts';
import { frozenMs, metBy, storageFaults } from './lives.ts';
import { touches } from './stretches.ts';

const STOP_MS = 10_000;
/** Until a node on a busy machine comes to what is due, and the run, which is as busy, hears of its end. */
const BUSY_MS = 5_000;

/** What a node says that ends by itself, of the disk below the embedded database, and of PostgreSQL. */
const ofDisk = /the disk (?:failed|is full)|disk I\/O error|database or disk is full|ENOSPC|EIO/i;
const ofStorage = /PostgreSQL at .+ (?:cannot be used|became unavailable during the start)/;
/** PostgreSQL's own words, where it goes in the middle of a start. */
const ofGoing =
  /terminating connection|connection terminated|database system is|no space left|ECONNRE|timeout|timed out|does not answer|SLUICE_REQUIRE_REPLICAS asks for|canceling statement|read-only transaction/i;
/** Somebody went out from there while it was down: the next start will do. */
const ofPort = /^Port \d+ is in use\./;

export const nodesEndAsTold: Invariant = {
  name: 'ends',
  promise:
    'A node that is told to stop exits with 0 within 10 seconds; any other ends by `kill -9`, or by itself with a sentence that says what failed.',
  broken: evidence =>
    evidence.logs.lives.length === 0
      ? ['Nobody saw a node end.']
      : evidence.logs.lives.flatMap(life =>
          wrongWith(life, evidence).map(
            sentence =>
              `Life ${life.life} of node ${life.node} ${sentence}: ${life.said || 'it said nothing'}`,
          ),
        ),
};

function wrongWith(life: LifeLine, evidence: Evidence): string[] {
  const { end, at, signals } = life;
  const sentAt = (name: string) => signals.find(({ signal }) => signal === name)?.at;
  if (end === 'SIGKILL') return sentAt('SIGKILL') === undefined ? ['was killed, and not by this run'] : [];
  const toldAt = sentAt('SIGTERM');
  if (end === 0) {
    if (toldAt === undefined) return ['ended, and nobody had told it to'];
    const took = at - toldAt - frozenMs(life, toldAt, at);
    return took > STOP_MS + BUSY_MS ? [`took ${took} ms to stop`] : [];
  }
  const mayEnd =
    end === 1 && (isOfDisk(life, evidence) || isOfStorage(life, evidence) || ofPort.test(life.said));
  return mayEnd ? [] : [`ended with ${end}${toldAt === undefined ? '' : ' when it was told to stop'}`];
}

const isOfDisk = (life: LifeLine, evidence: Evidence): boolean =>
  ofDisk.test(life.said) && metBy(life, evidence) !== undefined;

/** Only before it serves: from then on it waits until its storage is there again. */
const isOfStorage = ({ said, readyAt, startedAt, at }: LifeLine, evidence: Evidence): boolean =>
  readyAt === null &&
  (ofStorage.test(said) || ofGoing.test(said)) &&
  storageFaults(evidence).some(fault => touches(fault, startedAt, at));
