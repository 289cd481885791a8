import type { AccountStore } from '../../../core/stores/accounts.ts';
import type { ConfigurationChange } from '../../../core/stores/change.ts';
import { read, type StoreOperations, snapshot, write } from '../../operation.ts';
import { deleteOrganisation } from '../upkeep/deleted-organisations.ts';
import * as accounts from './accounts.ts';
import * as organisations from './organisations.ts';

const ofOrganisation = (organisationId: string): ConfigurationChange => ({
  organisationId,
  what: 'organisation',
});

/** Organisations, people, sessions and invitations. */
export const accountOperations: StoreOperations<AccountStore> = {
  createOrganisation: write(organisations.createOrganisation, ({ id }) => ofOrganisation(id)),
  listOrganisations: read(organisations.listOrganisations),
  findOrganisation: read(organisations.findOrganisation),
  updateOrganisation: write(organisations.updateOrganisation, ofOrganisation),
  deleteOrganisation: write(deleteOrganisation, ofOrganisation),
  listOrganisationsOf: read(organisations.listOrganisationsOf),

  hasUsers: read(accounts.hasUsers),
  createFirstUser: write(accounts.createFirstUser),
  findUserByEmail: read(accounts.findUserByEmail),
  setPassword: write(accounts.setPassword),

  createSession: write(accounts.createSession),
  findSession: read(accounts.findSession),
  moveSession: write(accounts.moveSession),
  deleteSession: write(accounts.deleteSession),

  listMembers: read(accounts.listMembers),
  setRole: write(accounts.setRole),
  removeMember: write(accounts.removeMember),

  createInvitation: write(accounts.createInvitation),
  findInvitation: snapshot(accounts.findInvitation),
  listInvitations: read(accounts.listInvitations),
  deleteInvitation: write(accounts.deleteInvitation),
  acceptInvitation: write(accounts.acceptInvitation),
};
