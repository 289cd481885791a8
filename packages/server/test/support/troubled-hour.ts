import { minutes } from '../../src/core/clock.ts';
import { idTime, newId } from '../../src/core/ids.ts';
import { type Browser, dataOf, listOf, setUp } from './dashboard.ts';
import { ingestWith, post } from './endpoints.ts';
import { makePipeline, makeWebhook } from './pipelines.ts';
import { startReceiver } from './receiver.ts';
import { startTestService, type TestService } from './service.ts';
import { until } from './until.ts';

/**
 * An hour of faults on a clock of its own, in which everything that is counted happens: receivers that fail, hang and
 * recover, pipelines that fail and drop, replays, retries, discards, pauses, deletes, erasure and refused requests.
 */
export interface TroubledHour {
  readonly service: TestService;
  readonly owner: Browser;
  /** What the ingest endpoints answered, as the senders counted it: `ingest 202`. */
  readonly answers: ReadonlyMap<string, number>;
  /** Requests that this source refused, as its sender counted them. */
  readonly refused: { readonly source: string; readonly count: number };
  /** Dead deliveries that were taken up again by a retry, and those that were cancelled after they had died. */
  readonly revived: number;
  readonly buried: number;
  /** What receivers took, by the destination that sent it. */
  readonly taken: ReadonlyMap<string, number>;
  readonly ids: Readonly<Record<'good' | 'flaky' | 'hanging' | 'paused' | 'gone', string>>;
  /** Moves the clock, so that what is looked up now and then is looked up again. */
  pass(ms: number): void;
  stop(): Promise<void>;
}

const ROUNDS = 12;
const LOOPBACK = { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' };

export async function liveTroubledHour(settings: Record<string, string>): Promise<TroubledHour> {
  // Ids count on from the last one that this process has made, so the hour begins there.
  let ahead = Math.max(0, idTime(newId('evt')) - Date.now());
  const service = await startTestService({
    clock: { now: () => Date.now() + ahead },
    settings: { ...LOOPBACK, ...settings },
  });
  const owner = await setUp(service);
  const answers = new Map<string, number>();
  const counted = async (door: 'ingest' | 'webhook', answering: ReturnType<typeof post>) => {
    const answer = await answering;
    const name = `${door} ${answer.status}`;
    answers.set(name, (answers.get(name) ?? 0) + 1);
    return answer;
  };

  // --- Receivers, by what they are told to do ------------------------------------------------------------

  let isWell = false;
  const taken = new Map<string, number>();
  const take = (name: string) => {
    taken.set(name, (taken.get(name) ?? 0) + 1);
    return new Response('ok');
  };
  const { promise: theEnd, resolve: end } = Promise.withResolvers<void>();
  const receivers = {
    good: startReceiver(() => take('good')),
    flaky: startReceiver(() => (isWell ? take('flaky') : new Response('no', { status: 503 }))),
    hanging: startReceiver(async () => {
      if (isWell) return take('hanging');
      await theEnd;
      return new Response('late');
    }),
    paused: startReceiver(() => take('paused')),
    gone: startReceiver(() => take('gone')),
    model: startReceiver(() =>
      isWell
        ? Response.json({ choices: [{ message: { content: '{"mood":"calm"}' } }] })
        : new Response('no', { status: 500 }),
    ),
  };

  // --- Sources, pipelines, destinations ------------------------------------------------------------------

  const policy = { attempts: 2, schedule_s: [0, 60], timeout_s: 20 };
  const destination = async (name: 'good' | 'flaky' | 'hanging' | 'paused' | 'gone') =>
    dataOf<{ id: string }>(
      await owner.post('/destinations', {
        kind: 'webhook',
        name,
        config: { url: receivers[name].url },
        policy,
      }),
    ).id;
  const ids = {
    good: await destination('good'),
    flaky: await destination('flaky'),
    hanging: await destination('hanging'),
    paused: await destination('paused'),
    gone: await destination('gone'),
  };
  /** Nobody waits long for a receiver that hangs; one that is well may be slow, on a machine with other work. */
  const turn = async (toWell: boolean) => {
    isWell = toWell;
    const once = { ...policy, attempts: 1, timeout_s: isWell ? 20 : 0.1 };
    await owner.patch(`/destinations/${ids.hanging}`, { policy: once });
  };
  for (const id of [ids.paused, ids.gone]) await owner.post(`/destinations/${id}/pause`);
  const hook = await makeWebhook(service.url, owner, 'Hook');
  const narrow = dataOf<{ id: string; token: string }>(
    await owner.post('/sources', {
      kind: 'webhook',
      name: 'Narrow',
      auth: 'none',
      rate: { per_second: 0.001, burst: 1 },
    }),
  );
  const { id: app } = dataOf<{ id: string }>(
    await owner.post('/sources', { kind: 'sdk', name: 'App', match: 'app.*' }),
  );
  const { secret: key } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'App' }));
  const model = { provider: 'openai-compatible', base_url: receivers.model.url, name: 'm' };
  const classify = { label: 'mood', labels: ['calm', 'cross'], prompt: 'How?', model, retry_s: [] };
  await makePipeline(owner, {
    name: 'Once',
    sources: [app],
    steps: [{ kind: 'dedupe', config: { key: 'payload.id' } }],
    destinations: [{ id: ids.good }, { id: ids.flaky, when: 'payload.n % 2 == 0' }],
  });
  await makePipeline(owner, {
    name: 'Some',
    sources: [hook.id],
    steps: [{ kind: 'filter.match', config: { condition: 'payload.n != 3' } }],
    destinations: [{ id: ids.hanging, when: 'payload.n == 1' }, { id: ids.paused }, { id: ids.gone }],
  });
  await makePipeline(owner, {
    name: 'Moods',
    sources: [hook.id],
    steps: [
      { kind: 'filter.match', config: { condition: 'payload.n >= 2' } },
      { kind: 'classify', config: classify },
    ],
    destinations: [{ id: ids.good, when: 'labels.mood == "calm"' }],
  });

  // --- What people and senders do ------------------------------------------------------------------------

  const ingest = ingestWith(service.url, key);
  let sent = 0;
  async function sendRound(round: number): Promise<void> {
    const id = () => `o_${++sent}`;
    const entity = { kind: 'person', external_id: round % 2 === 0 ? 'ada' : 'bob' };
    const batch = [0, 1, 2].map(n => ({ type: 'app.order', payload: { id: id(), n }, entity }));
    // The same order twice, the same event twice, and something that nobody listens to.
    const again = { type: 'app.order', payload: { id: `o_${sent}`, n: 9 } };
    const named = { type: 'app.order', id: `sender-${round >> 1}`, payload: { id: id(), n: 4 } };
    const odd = { type: 'nobody.listens', payload: {} };
    const once = { 'X-Ingest-Idempotency-Key': `round ${round}` };
    await counted('ingest', ingest({ events: batch }, once));
    await counted('ingest', ingest({ events: batch }, once));
    await counted('ingest', ingest({ events: [again, named, odd] }));
    const hooked = (n: number) =>
      counted(
        'webhook',
        post(`${service.url}/whk/${hook.token}`, JSON.stringify({ n, entity, seq: ++sent })),
      );
    for (const n of [1, 2, 3]) await hooked(n);
    // What is refused: another body under the key, no such key, no shape, too fast.
    await counted('ingest', ingest({ events: [odd] }, once));
    await counted('ingest', ingest({ events: [odd] }, { Authorization: 'Bearer sk_nobody' }));
    await counted('ingest', ingest({ events: [{ payload: {} }] }));
    await counted('webhook', post(`${service.url}/whk/${narrow.token}`, '{}'));
  }

  const list = async (path: string) =>
    listOf<{ id: string; event_id: string }>(await owner.get(`${path}&limit=100`)).data;

  /** Nothing is in one of these states; a pause may hold some. */
  const none = (...states: string[]) =>
    until(
      async () => {
        if ((await list('/events?state=accepted')).length > 0) return false;
        for (const state of states) if ((await list(`/deliveries?state=${state}`)).length > 0) return false;
        return true;
      },
      `Something stays ${states.join(' or ')}.`,
    );
  /** What waits for its second attempt does so for a minute. */
  const calm = () => none('pending', 'delivering');
  const rest = () => none('pending', 'delivering', 'retrying');

  async function finished(path: string, body: object): Promise<{ done: number; failed: number }> {
    const { id } = dataOf<{ id: string }>(await owner.post(path, body));
    const job = async () =>
      dataOf<{ state: string; done: number; failed: number }>(await owner.get(`/jobs/${id}`));
    await until(async () => (await job()).state === 'done', 'The job does not end.');
    return job();
  }

  let [revived, buried] = [0, 0];
  const revive = async (id: string) => {
    if ((await owner.post(`/deliveries/${id}/retry`)).status === 200) revived++;
  };

  for (let round = 0; round < ROUNDS; round++) {
    ahead += minutes(5);
    await turn(round >= 8);
    await sendRound(round);
    await calm();
    if (round === 3) {
      // One dead letter of each kind is given up, and one delivery that waits.
      const [dead] = await list('/dead-letters?kind=delivery');
      await owner.post(`/deliveries/${dead?.id}/discard`);
      buried++;
      const [failed] = await list('/dead-letters?kind=event');
      await owner.post(`/events/${failed?.id}/discard`);
      const [held] = await list('/deliveries?state=held');
      await owner.post(`/deliveries/${held?.id}/discard`);
    }
    if (round === 5) {
      // Retried too early: it dies again.
      const [dead] = await list(`/dead-letters?destination=${ids.hanging}`);
      await revive(dead?.id ?? '');
      await calm();
    }
    if (round === 6) {
      await owner.post(`/destinations/${ids.paused}/resume`);
      await owner.delete(`/destinations/${ids.gone}`);
    }
    if (round === 7) await owner.post(`/destinations/${ids.paused}/pause`);
    if (round === 9) {
      const [dead] = await list(`/dead-letters?destination=${ids.flaky}`);
      await finished(`/events/${dead?.event_id}/replay`, {});
      const filter = { type: 'webhook.in.received', state: 'failed' };
      await finished('/replays', { filter });
    }
    if (round === 10) {
      const erased = await fetch(`${service.url}/v1/entities`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ kind: 'person', external_id: 'bob' }),
      });
      if (!erased.ok) throw new Error('The entity was not made.');
      const died = (await list('/dead-letters?kind=delivery')).length;
      await fetch(`${service.url}/v1/entities/person/bob?erase_events=true`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${key}` },
      });
      buried += died - (await list('/dead-letters?kind=delivery')).length;
    }
    if (round === 11) {
      const letters = (await list('/dead-letters?kind=delivery')).length;
      const { done, failed } = await finished('/dead-letters/retry', { filter: { kind: 'delivery' } });
      if (done !== letters || failed > 0) throw new Error('Not all dead letters were retried.');
      revived += done;
      await calm();
      // Some is left for the lists: what comes now finds nobody well.
      await turn(false);
      await sendRound(round + 1);
      await calm();
    }
  }
  // What waits for its second attempt is due now; that something is resumed wakes whoever sends it.
  ahead += minutes(2);
  await owner.post(`/destinations/${ids.good}/resume`);
  await rest();
  buried += (await list('/deliveries?code=replayed')).length;

  return {
    service,
    owner,
    answers,
    refused: { source: narrow.id, count: answers.get('webhook 429') ?? 0 },
    revived,
    buried,
    taken: new Map(Object.entries(ids).map(([name, id]) => [id, taken.get(name) ?? 0])),
    ids,
    pass: ms => {
      ahead += ms;
    },
    async stop() {
      end();
      await service.stop();
      await Promise.all(Object.values(receivers).map(receiver => receiver.stop()));
    },
  };
}
