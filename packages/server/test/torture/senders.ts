import { type Askable, ask, PATIENCE_MS } from './ask.ts';
import type { SentEvent } from './lines.ts';
import type { Organisation } from './organisation.ts';
import { payloadOf, webhookPayloadOf } from './payload.ts';
import { createDice, type Dice } from './random.ts';
import { otherRoutes, routes } from './routes.ts';

/**
 * Senders of every kind, as senders should be: what got no answer that says what became of it is sent again under
 * its key. Each request and each answer is written down before anything is made of it.
 */
export interface Senders {
  /** Of an organisation that joins during the run; the function stops it again. */
  join(organisation: Pick<Organisation, 'name' | 'apiKey' | 'hooks'>): () => Promise<void>;
  stop(): Promise<void>;
  /** Sends what was never answered until it is. */
  settle(): Promise<void>;
}

interface Request {
  readonly number: number;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isRepeatable: boolean;
}

const SENDERS_OF_EACH = 3;
const PERSONS = 40;

export function startSenders(
  { fleet, files }: Askable,
  organisations: readonly Pick<Organisation, 'name' | 'apiKey' | 'hooks'>[],
  { seed, pauseMs }: { readonly seed: number; readonly pauseMs: number },
): Senders {
  const unanswered: Request[] = [];
  let requests = 0;

  /** True where the answer says what became of it. */
  async function send(request: Request, node: number): Promise<boolean> {
    const { body, headers, path } = request;
    // A client that silently sends again over a fresh connection would spoil the count.
    const asked = await ask({ fleet, files }, node, path, {
      ...{ method: 'POST', body, headers },
      ...{ keepalive: false, waitMs: PATIENCE_MS.sender },
    });
    const { status, error } = asked.line;
    const events = status === 202 && error === null ? eventsOf(asked.body) : [];
    files.write('senders', { kind: 'answered', ...asked.line, request: request.number, events });
    return status !== null && status < 500 && status !== 429;
  }

  async function sendUntilAnswered(request: Request, dice: Dice, mayGoOn: () => boolean): Promise<boolean> {
    while (!(await send(request, dice.between(0, fleet.size - 1)))) {
      if (!request.isRepeatable) return true;
      if (!mayGoOn()) return false;
      await Bun.sleep(dice.between(50, 400));
    }
    return true;
  }

  function run(organisation: Pick<Organisation, 'name' | 'apiKey' | 'hooks'>) {
    let isOver = false;
    const loops = Array.from({ length: SENDERS_OF_EACH }, async (_, n) => {
      const dice = createDice(seed, `sender ${n} of ${organisation.name}`);
      while (!isOver) {
        const request = compose(organisation, dice);
        // Now and then two at once, as a sender does that gave up too early.
        const races = request.isRepeatable && dice.chance(0.05);
        const racing = races ? send(request, dice.between(0, fleet.size - 1)) : null;
        const isAnswered = await sendUntilAnswered(request, dice, () => !isOver);
        await racing;
        if (!isAnswered) unanswered.push(request);
        else if (request.isRepeatable && dice.chance(0.1))
          await send(request, dice.between(0, fleet.size - 1));
        await Bun.sleep(dice.between(0, 2 * pauseMs));
      }
    });
    return async () => {
      isOver = true;
      await Promise.all(loops);
    };
  }

  function compose(
    { name, apiKey, hooks }: Pick<Organisation, 'name' | 'apiKey' | 'hooks'>,
    dice: Dice,
  ): Request {
    const number = requests++;
    const key = `key-${name}-${number}-${'x'.repeat(8)}`;
    const kind = dice.pick(['keyed', 'keyed', 'batch', 'ids', 'plain', 'hook', 'hook', 'bad'] as const);
    const size = { keyed: 1, batch: dice.between(3, 6), ids: 2, plain: 2, hook: 1, bad: 3 }[kind];
    const twins = kind === 'batch' && dice.chance(0.3);
    const events = Array.from({ length: size }, (_, i): SentEvent => {
      // Twins go the same way, so that the one which is dropped is the second.
      const isTwin = twins && i <= 1;
      const route = kind === 'hook' || isTwin ? 'good' : dice.pick([...routes, ...otherRoutes]);
      return {
        type: `${route === 'nowhere' ? 'unheard' : 'torture'}.${name}.${number}.${i}`,
        payloadId: `torture-id-${name}-${number}-${isTwin ? 0 : i}`,
        route,
        passes: kind === 'hook' || isTwin || dice.chance(0.9),
        person: kind !== 'hook' && dice.chance(0.2) ? `p${dice.between(1, PERSONS)}` : null,
      };
    });
    const isKeyed = kind !== 'ids' && kind !== 'plain';
    files.write('senders', {
      kind: 'sent',
      at: files.now(),
      request: number,
      organisation: name,
      endpoint: kind === 'hook' ? 'webhook' : 'ingest',
      key: isKeyed ? key : null,
      isRepeatable: kind !== 'plain',
      isValid: kind !== 'bad',
      events,
    });
    const keyed: Record<string, string> = isKeyed ? { 'X-Ingest-Idempotency-Key': key } : {};
    const [first] = events;
    if (kind === 'hook' && first) {
      const body = JSON.stringify(webhookPayloadOf(name, first));
      const { token, headers: shown } = dice.pick(hooks);
      const headers = { ...keyed, 'Content-Type': 'application/json', ...shown(body) };
      return { number, path: `/whk/${token}`, headers, body, isRepeatable: true };
    }
    const body = JSON.stringify({
      events: events.map((event, i) => ({
        type: event.type,
        payload: payloadOf(name, event),
        ...(kind === 'ids' ? { id: `own-${number}-${i}` } : {}),
        ...(event.person ? { entity: { kind: 'person', external_id: event.person } } : {}),
        // The last of three is wrong, so that none of them may be stored.
        ...(kind === 'bad' && i === 2 ? { icon: 7 } : {}),
      })),
    });
    const headers = { ...keyed, Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    return { number, path: '/v1/ingest', headers, body, isRepeatable: kind !== 'plain' };
  }

  const running = organisations.map(run);
  return {
    join: run,
    async stop() {
      await Promise.all(running.map(stop => stop()));
    },
    async settle() {
      const dice = createDice(seed, 'settling');
      for (const request of unanswered.splice(0)) await sendUntilAnswered(request, dice, () => true);
    },
  };
}

function eventsOf(answer: unknown): { id: string; duplicate: boolean }[] {
  type Accepted = { id: string; duplicate: boolean };
  const { data } = answer as { data: Accepted | { events: Accepted[] } };
  return ('events' in data ? data.events : [data]).map(({ id, duplicate }) => ({ id, duplicate }));
}
