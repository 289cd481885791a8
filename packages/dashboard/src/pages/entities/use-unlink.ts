import type { EntityLinkRecord } from '@sluice/contract/entity';
import { prepareCall } from '../../lib/api/call.ts';
import { type EntityName, entityPage, nameOf } from '../../lib/entity-path.ts';
import { useRemovals } from '../../lib/undo/use-removals.tsx';

const SAME_AS = 'same_as';

export type EntityLink = Pick<EntityLinkRecord, 'relation' | 'from' | 'to'>;

export const isSameEntity = (one: EntityName, other: EntityName): boolean =>
  one.kind === other.kind && one.external_id === other.external_id;

/** What a link's address names. */
export const pathOfLink = ({ relation, from, to }: EntityLink) => ({
  ...from,
  relation,
  to_kind: to.kind,
  to_external_id: to.external_id,
});

/** The list of an entity's links, by its path. Both ends of a link have it in theirs. */
export const linksOf = (name: EntityName): string => `${entityPage(name)}/links`;
const isLinks = (list: string): boolean => /^\/entities\/[^/]+\/[^/]+\/links$/.test(list);

/** Not asked for from the server: whose identity a pending removal changes. */
export const IDENTITIES = '/entities/identities';

/** `same_as` is the same link from either end. */
const isSameLink = (one: EntityLink, other: EntityLink): boolean =>
  one.relation === other.relation &&
  ((isSameEntity(one.from, other.from) && isSameEntity(one.to, other.to)) ||
    (one.relation === SAME_AS && isSameEntity(one.from, other.to) && isSameEntity(one.to, other.from)));

/** Removes a link so that it can be taken back for a while. */
export function useUnlink(): (link: EntityLink, other: EntityName) => void {
  const removals = useRemovals();
  return (link, other) => {
    const { relation, from, to } = link;
    const send = prepareCall(
      'DELETE /entities/:kind/:external_id/links/:relation/:to_kind/:to_external_id',
      pathOfLink(link),
    );
    removals.add({
      message: `Link ${relation} with ${nameOf(other)} removed`,
      hides: (list, row) =>
        list === IDENTITIES
          ? relation === SAME_AS && [from, to].some(end => isSameEntity(end, row as EntityName))
          : isLinks(list) && isSameLink(row as EntityLink, link),
      carryOut: ({ isLeaving }) => send({ keepalive: isLeaving }),
    });
  };
}
