import type { MemberRecord } from '@sluice/contract/dashboard-accounts';
import { type Clock, days, toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import { hashSecret, newSecret } from '../../../core/secrets/vault.ts';
import {
  type AccountStore,
  grantersOf,
  type Invitation,
  type Member,
  type Role,
} from '../../../core/stores/accounts.ts';
import { pageOf } from '../../paging.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import { requirePermission } from '../permissions.ts';
import { optionalTime } from '../records.ts';

const INVITATION_LIFETIME_MS = days(7);

/** The people of an organisation, and those who have been invited: both stand in one list. */
export function memberCalls(
  calls: Calls,
  {
    accounts,
    clock,
  }: {
    readonly accounts: Pick<AccountStore, 'audited' | 'listInvitations' | 'listMembers'>;
    readonly clock: Clock;
  },
): void {
  async function list({ session }: SessionCall): Promise<MemberRecord[]> {
    const members = await accounts.listMembers(session.orgId);
    const invitations = await accounts.listInvitations(session.orgId, clock.now());
    return [...members.map(toMember), ...invitations.map(toInvited)].sort((a, b) =>
      keyOf(a) < keyOf(b) ? -1 : 1,
    );
  }

  async function find(call: SessionCall): Promise<MemberRecord> {
    const id = call.param('id');
    const found = (await list(call)).find(record => record.id === id);
    if (!found) throw new Problem('not_found');
    return found;
  }

  /** The invitations that go with a role that somebody has no longer, for the record of it. */
  async function withdrawnWith({ session }: SessionCall, userId: string, role: Role | null) {
    const invitations = await accounts.listInvitations(session.orgId, clock.now());
    const withdrawn = invitations.filter(
      ({ invitedBy, role: granted }) =>
        invitedBy === userId && (role === null || !grantersOf(granted).includes(role)),
    );
    return withdrawn.length === 0 ? {} : { withdrawn_invitations: withdrawn.map(({ email }) => email) };
  }

  calls.on('GET /members', 'read', async call => {
    const page = call.page('members', call.query());
    const { rows, next } = pageOf(await list(call), { keyOf, direction: 'ascending' }, page);
    return page.answer(rows, next);
  });

  calls.on('POST /members', 'members.change', async call => {
    const { email, role } = await call.body();
    requireRoleOver(call, role);
    const code = newSecret('invite');
    const createdAt = clock.now();
    const invitation: Invitation = {
      id: newId('inv', createdAt),
      orgId: call.session.orgId,
      email,
      role,
      codeHash: hashSecret(code),
      createdAt,
      expiresAt: createdAt + INVITATION_LIFETIME_MS,
      invitedBy: call.session.userId,
    };
    const changes = accounts.audited(call.record('member.invited', invitation.id, { email, role }));
    const outcome = await changes.createInvitation(invitation);
    if (outcome === 'already_member') {
      throw new Problem('conflict', { path: 'email', message: `${email} is already a member.` });
    }
    if (outcome === 'may_not_grant') {
      throw new Problem('forbidden', {
        message: `Your role does not allow this: ${email} may already have an invitation with a higher role than yours.`,
      });
    }
    return call.answer({ ...toInvited(invitation), invite_code: code }, 201);
  });

  calls.on('GET /members/:id', 'read', async call => call.answer(await find(call)));

  calls.on('PATCH /members/:id', 'members.change', async call => {
    await find(call);
    const { role } = await call.body();
    // Not as they were when the body began to arrive.
    const member = await find(call);
    requireRoleOver(call, member.role);
    requireRoleOver(call, role);
    if (member.status === 'invited') {
      throw new Problem('conflict', { message: 'Invite them again to offer another role.' });
    }
    const { id, email } = member;
    const details = { email, from: member.role, to: role, ...(await withdrawnWith(call, id, role)) };
    const changes = accounts.audited(call.record('member.role_changed', id, details));
    settle(await changes.setRole(call.session.orgId, id, role));
    return call.answer(await find(call));
  });

  calls.on('DELETE /members/:id', 'members.change', async call => {
    const { id, email, role, status } = await find(call);
    requireRoleOver(call, role);
    if (status === 'invited') {
      const changes = accounts.audited(call.record('invitation.withdrawn', id, { email, role }));
      if (!(await changes.deleteInvitation(call.session.orgId, id))) throw new Problem('not_found');
    } else {
      const details = { email, role, ...(await withdrawnWith(call, id, null)) };
      const changes = accounts.audited(call.record('member.removed', id, details));
      settle(await changes.removeMember(call.session.orgId, id));
    }
    return call.answer({ id, deleted: true });
  });
}

/** Admins deal with everybody up to admins; only owners make, change and remove owners. */
const requireRoleOver = ({ session }: SessionCall, role: Role): void =>
  requirePermission(session.role, role === 'owner' ? 'owners.change' : 'members.change');

function settle(outcome: 'changed' | 'removed' | 'last_owner' | 'not_found'): void {
  if (outcome === 'not_found') throw new Problem('not_found');
  if (outcome === 'last_owner') {
    throw new Problem('conflict', { message: 'An organisation keeps at least one owner.' });
  }
}

/** Members first, each group by email. */
const keyOf = ({ status, email }: MemberRecord): string => `${status} ${email}`;

const toMember = ({ userId, email, role, createdAt, lastLoginAt }: Member): MemberRecord => ({
  id: userId,
  email,
  role,
  status: 'active',
  created_at: toRfc3339(createdAt),
  expires_at: null,
  last_login_at: optionalTime(lastLoginAt),
});

const toInvited = ({ id, email, role, createdAt, expiresAt }: Invitation): MemberRecord => ({
  id,
  email,
  role,
  status: 'invited',
  created_at: toRfc3339(createdAt),
  expires_at: toRfc3339(expiresAt),
  last_login_at: null,
});
