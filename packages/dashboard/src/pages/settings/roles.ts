import type { MemberRecord } from '@sluice/contract/dashboard-accounts';

type Role = MemberRecord['role'];

export const meanings: readonly [Role, string][] = [
  ['viewer', 'sees everything but secrets, and changes nothing.'],
  ['member', 'also changes sources, pipelines, destinations and entities, and retries and replays.'],
  ['admin', 'also creates and revokes keys, invites and removes people, and changes the settings.'],
  ['owner', 'also creates and deletes organisations, and adds and removes owners.'],
];

const order: readonly Role[] = meanings.map(([role]) => role);

export const isAtLeast = (role: Role, least: Role): boolean => order.indexOf(role) >= order.indexOf(least);

/** Owners are made, changed and removed by owners. */
export const rolesToGive = (may: (permission: string) => boolean): Role[] =>
  order.filter(role => role !== 'owner' || may('owners.change'));

export const mayTouch = (member: MemberRecord, may: (permission: string) => boolean): boolean =>
  may(member.role === 'owner' ? 'owners.change' : 'members.change');
