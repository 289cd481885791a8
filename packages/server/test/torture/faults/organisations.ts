import type { Fault } from './fault.ts';

/** An organisation that begins to send during the run, and is deleted while it does. */
const SENDS_MS = 2_500;
const GOES_ON_MS = 1_500;

export const deleteOrganisation: Fault = async ({ files, senders, doomedOrganisations }, { target }) => {
  const doomed = doomedOrganisations.find(({ name }) => name === target);
  if (doomed === undefined) return null;
  const stop = senders.join(doomed);
  await Bun.sleep(SENDS_MS);
  const askedAt = files.now();
  await doomed.operator.call('DELETE', `/organisations/${doomed.id}`);
  const line = { askedAt, at: files.now(), organisation: target, id: doomed.id };
  files.write('people', { ...line, what: 'delete-organisation' });
  await Bun.sleep(GOES_ON_MS);
  await stop();
  return target;
};
