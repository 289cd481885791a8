import { Problem } from '../../core/errors.ts';
import { type Role, roles } from '../../core/stores/accounts.ts';

/** What each role may do: the least role that has each permission. A higher role has all of a lower one's. */
const leastRole = {
  read: 'viewer',
  'events.export': 'viewer',
  'views.save': 'viewer',
  'views.share': 'member',
  'sources.reveal': 'member',
  'sources.change': 'member',
  'pipelines.change': 'member',
  'destinations.change': 'member',
  'configuration.apply': 'member',
  'events.replay': 'member',
  'jobs.cancel': 'member',
  'deliveries.change': 'member',
  'entities.change': 'member',
  'keys.change': 'admin',
  'members.change': 'admin',
  'settings.change': 'admin',
  'owners.change': 'owner',
  'organisations.change': 'owner',
} as const satisfies Record<string, Role>;

export type Permission = keyof typeof leastRole;

export const may = (role: Role, permission: Permission): boolean =>
  roles.indexOf(role) >= roles.indexOf(leastRole[permission]);

export const permissionsOf = (role: Role): Permission[] =>
  (Object.keys(leastRole) as Permission[]).filter(permission => may(role, permission));

export function requirePermission(role: Role, permission: Permission): void {
  if (may(role, permission)) return;
  const least = leastRole[permission];
  const orHigher = least === roles.at(-1) ? '' : ' or higher';
  throw new Problem('forbidden', {
    message: `You need the ${least} role${orHigher} to do this. Your role is ${role}.`,
  });
}
