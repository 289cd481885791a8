import {
  type OrganisationRecord,
  organisationBody,
  organisationChange,
} from '@sluice/contract/dashboard-accounts';
import { type Clock, toRfc3339 } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import type { Organisation, Role, Storage } from '../../core/ports.ts';
import { answer } from '../answer.ts';
import { pageOf } from '../paging.ts';
import type { Call, Calls } from './calls.ts';
import { requirePermission } from './permissions.ts';
import { listQuery, newestFirst } from './records.ts';
import { withCookie } from './session.ts';
import type { Session, Sessions } from './sessions.ts';

type Mine = Organisation & { readonly role: Role };

/** The organisations that the caller belongs to. What may be done to one hangs on the role there. */
export function organisationCalls(
  calls: Calls,
  {
    storage,
    sessions,
    clock,
    defaultRetentionDays,
  }: {
    readonly storage: Pick<
      Storage,
      | 'listOrganisationsOf'
      | 'createOrganisation'
      | 'updateOrganisation'
      | 'deleteOrganisation'
      | 'createSession'
    >;
    readonly sessions: Sessions;
    readonly clock: Clock;
    readonly defaultRetentionDays: number;
  },
): void {
  const show = (mine: Mine): OrganisationRecord => ({
    id: mine.id,
    name: mine.name,
    role: mine.role,
    retention_days: mine.retentionDays,
    default_retention_days: defaultRetentionDays,
    searchable_traits: [...mine.searchableTraits],
    created_at: toRfc3339(mine.createdAt),
  });

  async function find({ session, param }: Call): Promise<Mine> {
    const mine = (await storage.listOrganisationsOf(session.userId)).find(({ id }) => id === param('id'));
    if (!mine) throw new Problem('not_found');
    return mine;
  }

  calls.on('GET /organisations', 'read', async call => {
    const page = call.page('organisations', call.query(listQuery));
    const mine = (await storage.listOrganisationsOf(call.session.userId)).reverse();
    const { rows, next } = pageOf(mine, newestFirst, page);
    return page.answer(rows.map(show), next);
  });

  calls.on('POST /organisations', 'organisations.change', async call => {
    const { name } = await call.body(organisationBody);
    const createdAt = clock.now();
    const id = newId('org', createdAt);
    const organisation = { id, name, retentionDays: null, searchableTraits: [], createdAt };
    await storage.createOrganisation(organisation, call.session.userId);
    await call.audit('organisation.created', id, { name }, id);
    return answer(show({ ...organisation, role: 'owner' }), 201);
  });

  calls.on('GET /organisations/:id', 'read', async call => answer(show(await find(call))));

  calls.on('PATCH /organisations/:id', 'read', async call => {
    const { id, role } = await find(call);
    requirePermission(role, 'settings.change');
    const wish = await call.body(organisationChange);
    await storage.updateOrganisation(id, {
      ...(wish.name === undefined ? {} : { name: wish.name }),
      ...(wish.retention_days === undefined ? {} : { retentionDays: wish.retention_days }),
      ...(wish.searchable_traits === undefined ? {} : { searchableTraits: wish.searchable_traits }),
    });
    await call.audit('organisation.changed', id, wish, id);
    return answer(show(await find(call)));
  });

  calls.on('DELETE /organisations/:id', 'read', async call => {
    const { id, name, role } = await find(call);
    requirePermission(role, 'organisations.change');
    const outcome = await storage.deleteOrganisation(id, clock.now());
    if (outcome === 'not_found') throw new Problem('not_found');
    if (outcome === 'last_one') {
      throw new Problem('conflict', { message: 'An installation keeps at least one organisation.' });
    }
    const response = answer({ id, deleted: true });
    const now = call.session.orgId === id ? await moveElsewhere(call.session) : call.session.orgId;
    if (now === null) return withCookie(response, sessions.forgetting(call.client));
    await call.audit('organisation.deleted', id, { name }, now);
    return response;
  });

  /** Sessions go with their organisation: whoever deleted it goes on in another one of theirs. */
  async function moveElsewhere({ userId, tokenHash, createdAt, expiresAt }: Session): Promise<string | null> {
    const [other] = await storage.listOrganisationsOf(userId);
    if (!other) return null;
    await storage.createSession({ userId, tokenHash, createdAt, expiresAt, orgId: other.id });
    return other.id;
  }
}
