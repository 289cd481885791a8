import type { OrganisationRecord } from '@sluice/contract/dashboard-accounts';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import type { AccountStore, Organisation, Role } from '../../../core/stores/accounts.ts';
import { pageOf } from '../../paging.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import { requirePermission } from '../permissions.ts';
import { newestFirst } from '../records.ts';
import { withCookies } from './session.ts';
import type { LoginSessions } from './sessions.ts';

type Mine = Organisation & { readonly role: Role };

/** The organisations that the caller belongs to. What may be done to one hangs on the role there. */
export function organisationCalls(
  calls: Calls,
  {
    accounts,
    sessions,
    clock,
    defaultRetentionDays,
    mostOrganisationsPerUser,
  }: {
    readonly accounts: Pick<AccountStore, 'audited' | 'findOrganisation' | 'listOrganisationsOf'>;
    readonly sessions: LoginSessions;
    readonly clock: Clock;
    readonly defaultRetentionDays: number;
    readonly mostOrganisationsPerUser: number;
  },
): void {
  const show = (mine: Mine): OrganisationRecord => ({
    id: mine.id,
    name: mine.name,
    slug: mine.slug,
    role: mine.role,
    retention_days: mine.retentionDays,
    default_retention_days: defaultRetentionDays,
    searchable_traits: [...mine.searchableTraits],
    created_at: toRfc3339(mine.createdAt),
  });

  async function find({ session, param }: SessionCall<'id'>): Promise<Mine> {
    const mine = (await accounts.listOrganisationsOf(session.userId)).find(({ id }) => id === param('id'));
    if (!mine) throw new Problem('not_found');
    return mine;
  }

  calls.on('GET /organisations', 'read', async call => {
    const page = call.page('organisations', call.query());
    const mine = (await accounts.listOrganisationsOf(call.session.userId)).reverse();
    const { rows, next } = pageOf(mine, newestFirst, page);
    return page.answer(rows.map(show), next);
  });

  calls.on('POST /organisations', 'organisations.change', async call => {
    const { name } = await call.body();
    const createdAt = clock.now();
    const id = newId('org', createdAt);
    const organisation = { id, name, retentionDays: null, searchableTraits: [], createdAt };
    const record = call.record('organisation.created', id, { name }, id);
    const outcome = await accounts
      .audited(record)
      .createOrganisation(organisation, call.session.userId, mostOrganisationsPerUser);
    if (outcome === 'too_many') {
      throw new Problem('limit_reached', {
        message: `You own as many organisations as one user may here (${mostOrganisationsPerUser}).`,
      });
    }
    const made = await accounts.findOrganisation(id);
    if (made === null) throw new Problem('not_found');
    return call.answer(show({ ...made, role: 'owner' }), 201);
  });

  calls.on('GET /organisations/:id', 'read', async call => call.answer(show(await find(call))));

  calls.on('PATCH /organisations/:id', 'read', async call => {
    const { id, role } = await find(call);
    requirePermission(role, 'settings.change');
    const input = await call.body();
    // It may be another organisation than the session's, whose role was asked again when the body was there.
    requirePermission((await find(call)).role, 'settings.change');
    await accounts.audited(call.record('organisation.changed', id, input, id)).updateOrganisation(id, {
      ...(input.name === undefined ? {} : { name: input.name }),
      ...(input.retention_days === undefined ? {} : { retentionDays: input.retention_days }),
      ...(input.searchable_traits === undefined ? {} : { searchableTraits: input.searchable_traits }),
    });
    return call.answer(show(await find(call)));
  });

  calls.on('DELETE /organisations/:id', 'read', async call => {
    const { id, name, role } = await find(call);
    requirePermission(role, 'organisations.change');
    // Sessions go with their organisation: whoever deletes it goes on in another one of theirs, and it is on record there.
    const { userId, tokenHash, orgId } = call.session;
    const [other] = (await accounts.listOrganisationsOf(userId)).filter(mine => mine.id !== id);
    const next = orgId === id ? other?.id : orgId;
    const records = next === undefined ? [] : [call.record('organisation.deleted', id, { name }, next)];
    const moved = next === undefined ? undefined : { tokenHash, orgId: next };
    const outcome = await accounts.audited(...records).deleteOrganisation(id, clock.now(), moved);
    if (outcome === 'not_found') throw new Problem('not_found');
    if (outcome === 'last_one') {
      throw new Problem('conflict', { message: 'An installation keeps at least one organisation.' });
    }
    const response = call.answer({ id, deleted: true });
    return next === undefined ? withCookies(response, sessions.expiredCookies(call.client)) : response;
  });
}
