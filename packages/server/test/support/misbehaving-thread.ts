import { packReports, unpackRuns } from '../../src/pipeline/thread/pack.ts';
import { createProgress, type Progress } from '../../src/pipeline/thread/progress.ts';
import type { FromThread, PostedRun, RunReport, ToThread } from '../../src/pipeline/thread/protocol.ts';

/**
 * A thread that speaks as the pipelines' does and does what a payload says: `{"do":"hang"}` works without end,
 * `{"do":"drag"}` is handed back where that may be, `{"do":"crash"}` ends the thread, `{"do":"wait"}` asks for traits
 * first; anything else is routed at once. Its output tells how many runs it has had, so that a test can tell one
 * thread from the next.
 */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

let progress: Progress;
let handsBack = false;
let runs = 0;
let calls = 0;
const waiting = new Map<number, PostedRun>();

const say = (message: FromThread) => self.postMessage(message);
const report = (run: PostedRun): void => {
  const ended: RunReport = {
    kind: 'settled',
    outcome: 'routed',
    step: null,
    reason: null,
    trace: '{"steps":[],"states":[]}',
    output: String(runs),
    notes: [],
    claims: [],
    destinations: [],
    durations: '',
    tallies: [],
    busyMs: 0,
  };
  say({ kind: 'reports', reports: packReports([[run.n, ended]]) });
};

function perform(run: PostedRun): void {
  progress.at(run.n, 2);
  runs++;
  switch ((JSON.parse(run.payload) as { do?: string }).do) {
    case 'hang':
      for (;;);
    case 'drag':
      if (handsBack) say({ kind: 'reports', reports: packReports([[run.n, { kind: 'handed_back' }]]) });
      else report(run);
      return;
    case 'crash':
      throw new Error('It was told to.');
    case 'wait':
      waiting.set(++calls, run);
      say({
        kind: 'call',
        call: calls,
        asked: { port: 'entities', name: 'readTraits', args: ['org', run.event.id] },
      });
      return;
    default:
      report(run);
  }
}

self.onmessage = ({ data }) => {
  const message = data as ToThread;
  if (message.kind === 'open') {
    progress = createProgress(new Int32Array(message.progress));
    ({ handsBack } = message);
    setInterval(progress.live, 50);
    say({ kind: 'up' });
  } else if (message.kind === 'run') {
    for (const run of unpackRuns(message.runs)) perform(run);
  } else if (message.kind === 'answer') {
    const run = waiting.get(message.call);
    if (run) report(run);
  }
};
