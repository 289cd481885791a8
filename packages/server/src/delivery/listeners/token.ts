import { timingSafeEqual } from 'node:crypto';
import { isId } from '../../core/ids.ts';
import { hashSecret, newSecret } from '../../core/secrets/vault.ts';
import type { DestinationAddress } from '../../core/stores/configuration/destinations.ts';

/**
 * The token of a listener: `lsn_<secret>.<organisation><destination>`. It names its destination, so that one look-up by
 * id finds what to compare it with; only the first part is secret.
 */
export const LISTENER_TOKEN = /^lsn_[A-Za-z0-9_-]{43}\.([0-9A-HJKMNP-TV-Z]{26})([0-9A-HJKMNP-TV-Z]{26})$/;

const bare = (id: string): string => id.slice(id.indexOf('_') + 1);

export const newListenerToken = ({ orgId, id }: DestinationAddress): string =>
  `${newSecret('lsn')}.${bare(orgId)}${bare(id)}`;

/** The destination that a token names; null where it cannot be one of ours. */
export function addressOfToken(token: string): DestinationAddress | null {
  const [, organisation = '', destination = ''] = LISTENER_TOKEN.exec(token) ?? [];
  const address = { orgId: `org_${organisation}`, id: `dst_${destination}` };
  return isId('org', address.orgId) && isId('dst', address.id) ? address : null;
}

/** Takes as long whether it is the same, begins alike, or is another. */
export const isSameToken = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(hashSecret(one)), Buffer.from(hashSecret(other)));
