import { mainSteps } from '../configuration.ts';
import type { PeopleLine } from '../lines.ts';
import type { Organisation } from '../organisation.ts';
import { secretOfDestination } from '../secrets.ts';
import type { Fault, World } from './fault.ts';

/** What people do to a configuration, and to what is under way, while everything runs. */

/** Written down once it is answered, with when it was asked for. */
async function noted(
  { files }: Pick<World, 'files'>,
  { name }: Organisation,
  what: PeopleLine['what'],
  id: string,
  act: () => Promise<{ readonly status: number }>,
): Promise<boolean> {
  const askedAt = files.now();
  const { status } = await act();
  // A 404 is the second answer to a request whose first was lost.
  if (status >= 300 && !(status === 404 && what.startsWith('delete'))) return false;
  files.write('people', { askedAt, at: files.now(), organisation: name, what, id });
  return true;
}

export const pause: Fault = async (world, { forMs }) => {
  const organisation = world.dice.pick(world.organisations);
  const { operator, name } = organisation;
  const id = organisation.destinations.get('pausable') ?? '';
  return world.inTurn(`pause of ${name}`, async () => {
    await noted(world, organisation, 'pause', id, () => operator.call('POST', `/destinations/${id}/pause`));
    await Bun.sleep(forMs);
    await noted(world, organisation, 'resume', id, () => operator.call('POST', `/destinations/${id}/resume`));
    return `a destination of ${name} for ${forMs} ms`;
  });
};

/** Revisions are told apart by when they were planned; the first of all is 1. */
export const editPipeline: Fault = async (world, { at }) => {
  const organisation = world.dice.pick(world.organisations);
  const { operator, name, pipeline } = organisation;
  return world.inTurn(`pipeline of ${name}`, async () => {
    const revision = at + 2;
    const steps = mainSteps(revision);
    await noted(world, organisation, 'edit-pipeline', pipeline, () =>
      operator.call('PATCH', `/pipelines/${pipeline}`, { steps }),
    );
    return `revision ${revision} of ${name}`;
  });
};

const DOOMED_MS = 2_500;

export const deleteDestination: Fault = async (world, { at }) => {
  const organisation = world.dice.pick(world.organisations);
  const { operator, name, id, pipeline } = organisation;
  const receiver = `doomed-${at}`;
  const { data: made } = await operator.call<{ id: string; secret: string }>('POST', '/destinations', {
    kind: 'webhook',
    name: receiver,
    config: { url: world.receivers.url(name, receiver), auth: { mode: 'hmac' } },
    policy: { attempts: 4, schedule_s: [0, 1], timeout_s: 2 },
  });
  world.onSecret(secretOfDestination(name, receiver), made.secret);
  const record = { id: made.id, name: receiver, kind: 'webhook', attempts: 4, secret: made.secret };
  world.files.write('setUp', { organisation: name, id, destinations: [record] });
  return world.inTurn(`pipeline of ${name}`, async () => {
    const routeTo = (doomed: string | null) =>
      operator.call('PATCH', `/pipelines/${pipeline}`, { destinations: organisation.routing(doomed) });
    await routeTo(made.id);
    await Bun.sleep(DOOMED_MS);
    await noted(world, organisation, 'delete-destination', made.id, () =>
      operator.call('DELETE', `/destinations/${made.id}`),
    );
    await routeTo(null);
    return `${receiver} of ${name}`;
  });
};

export const erase: Fault = async (world, { at }) => {
  const organisation = world.dice.pick(world.organisations);
  const { operator, name } = organisation;
  const person = `p${1 + (at % 40)}`;
  await operator.call('POST', '/entities', { kind: 'person', external_id: person });
  await noted(world, organisation, 'erase', person, async () => {
    const answered = await operator.call('DELETE', `/entities/person/${person}?erase_events=true`);
    // Asked twice, since the first answer was lost: erased all the same.
    return answered.status === 404 ? { status: 200 } : answered;
  });
  return `${person} of ${name}`;
};

const LOOKS = 10;
const LOOK_EVERY_MS = 500;

/** What there is to be done something to; a moment later there may be some. */
async function whenThereIs(list: () => Promise<{ data: { id: string }[] }>): Promise<string[]> {
  for (let look = 1; look < LOOKS; look++) {
    const { data } = await list();
    if (data.length > 0) return data.map(({ id }) => id);
    await Bun.sleep(LOOK_EVERY_MS);
  }
  return [];
}

export const discard: Fault = async world => {
  const organisation = world.dice.pick(world.organisations);
  const { operator, name } = organisation;
  const ids = await whenThereIs(() => {
    const state = world.dice.pick(['retrying', 'dead', 'pending']);
    return operator.call('GET', `/deliveries?state=${state}&limit=5`);
  });
  let discarded = 0;
  for (const id of ids) {
    const askedAt = world.files.now();
    const { status } = await operator.call('POST', `/deliveries/${id}/discard`);
    const what = status < 300 ? 'discard' : 'discard-unclear';
    world.files.write('people', { askedAt, at: world.files.now(), organisation: name, what, id });
    if (what === 'discard') discarded++;
  }
  return discarded === 0 ? null : `${discarded} deliveries of ${name}`;
};

export const retry: Fault = async world => {
  const organisation = world.dice.pick(world.organisations);
  const { operator, name } = organisation;
  const ids = await whenThereIs(() => operator.call('GET', '/dead-letters?kind=delivery&limit=5'));
  for (const id of ids) {
    const askedAt = world.files.now();
    await operator.call('POST', `/deliveries/${id}/retry`);
    // Whatever was answered: a first answer may have been lost, and the second says that it is not dead any more.
    world.files.write('people', { askedAt, at: world.files.now(), organisation: name, what: 'retry', id });
  }
  return ids.length === 0 ? null : `${ids.length} dead letters of ${name}`;
};
