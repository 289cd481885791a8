import { setUpOrganisation } from '../organisation.ts';
import type { Fault } from './fault.ts';

/** An organisation that comes during the run, sends, and is deleted while it does. */
const SENDS_MS = 2_500;
const GOES_ON_MS = 1_500;

export const deleteOrganisation: Fault = async (world, { target }) => {
  const [{ operator }] = world.organisations as readonly [(typeof world.organisations)[number]];
  const { data } = await operator.call<{ id: string }>('POST', '/organisations', { name: target });
  const doomed = await setUpOrganisation(target, data.id, world.surroundings);
  const stop = world.senders.join(doomed);
  await Bun.sleep(SENDS_MS);
  const askedAt = world.files.now();
  await operator.call('DELETE', `/organisations/${data.id}`);
  const line = { askedAt, at: world.files.now(), organisation: target, id: data.id };
  world.files.write('people', { ...line, what: 'delete-organisation' });
  await Bun.sleep(GOES_ON_MS);
  await stop();
  return target;
};
