import type { AccountStore } from '../../../core/stores/accounts.ts';
import type { ConfigurationChange } from '../../../core/stores/change.ts';
import { read, type StoreOperations, snapshot, write } from '../../operation.ts';
import { deleteOrganisation } from '../upkeep/deleted-organisations.ts';
import * as accounts from './accounts.ts';
import * as invitations from './invitations.ts';
import * as members from './members.ts';
import * as organisations from './organisations.ts';
import * as secondFactors from './second-factors.ts';
import * as sessions from './sessions.ts';

const ofOrganisation = (organisationId: string): ConfigurationChange => ({
  organisationId,
  what: 'organisation',
});

/** Organisations, people, sessions and invitations. */
export const accountOperations: StoreOperations<AccountStore> = {
  giveSlugs: write(organisations.giveSlugs),
  createOrganisation: write(organisations.createOrganisation, ({ id }) => ofOrganisation(id)),
  listOrganisations: read(organisations.listOrganisations),
  findOrganisation: read(organisations.findOrganisation),
  updateOrganisation: write(organisations.updateOrganisation, ofOrganisation),
  deleteOrganisation: write(deleteOrganisation, ofOrganisation),
  listOrganisationsOf: read(organisations.listOrganisationsOf),

  hasUsers: read(accounts.hasUsers),
  createFirstUser: write(accounts.createFirstUser),
  findUserByEmail: read(accounts.findUserByEmail),
  setTimeDisplay: write(accounts.setTimeDisplay),
  setPassword: write(accounts.setPassword),

  beginSession: write(sessions.beginSession),
  findSession: read(sessions.findSession),
  listSessions: read(sessions.listSessions),
  touchSession: write(sessions.touchSession),
  moveSession: write(sessions.moveSession),
  rememberOrganisation: write(sessions.rememberOrganisation),
  findLastOrganisation: read(sessions.findLastOrganisation),
  deleteSession: write(sessions.deleteSession),
  endSession: write(sessions.endSession),
  endOtherSessions: write(sessions.endOtherSessions),

  findSecondFactor: snapshot(secondFactors.findSecondFactor),
  turnOnSecondFactor: write(secondFactors.turnOnSecondFactor),
  turnOffSecondFactor: write(secondFactors.turnOffSecondFactor),
  replaceRecoveryCodes: write(secondFactors.replaceRecoveryCodes),
  spendTotpStep: write(secondFactors.spendTotpStep),
  spendRecoveryCode: write(secondFactors.spendRecoveryCode),

  listMembers: read(members.listMembers),
  setRole: write(members.setRole),
  removeMember: write(members.removeMember),

  createInvitation: write(invitations.createInvitation),
  findInvitation: snapshot(invitations.findInvitation),
  listInvitations: read(invitations.listInvitations),
  deleteInvitation: write(invitations.deleteInvitation),
  acceptInvitation: write(invitations.acceptInvitation),
};
