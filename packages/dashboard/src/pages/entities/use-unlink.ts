import type { EntityLinkRecord } from '@sluice/contract/entity';
import { prepareCall } from '../../lib/api/call.ts';
import { type EntityName, entityPage, nameOf } from '../../lib/entity-path.ts';
import { useRemovals } from '../../lib/undo/use-removals.tsx';

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
      hides(list, row) {
        if (!isLinks(list)) return false;
        const one = row as EntityLink;
        return one.relation === relation && isSameEntity(one.from, from) && isSameEntity(one.to, to);
      },
      carryOut: ({ isLeaving }) => send({ keepalive: isLeaving }),
    });
  };
}
