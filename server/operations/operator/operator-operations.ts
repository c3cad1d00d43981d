// The table of all operator operations, served on the socket in the data directory.
import { forgetAgent } from './agents/forget-agent.ts';
import { listAgents } from './agents/list-agents.ts';
import { beginCheckup } from './begin-checkup.ts';
import { drainHub } from './cluster/drain-hub.ts';
import { inspectDatabase } from './cluster/inspect-database.ts';
import { listHubs } from './cluster/list-hubs.ts';
import { listAuditLog } from './list-audit-log.ts';
import { createInvite } from './networks/create-invite.ts';
import { createNetwork } from './networks/create-network.ts';
import { deleteNetwork } from './networks/delete-network.ts';
import { licenseNetwork } from './networks/license-network.ts';
import { listInvites } from './networks/list-invites.ts';
import { listMembers } from './networks/list-members.ts';
import { listNetworks } from './networks/list-networks.ts';
import { removeMember } from './networks/remove-member.ts';
import { renameNetwork } from './networks/rename-network.ts';
import { setMemberRole } from './networks/set-member-role.ts';
import { showNetwork } from './networks/show-network.ts';
import { transferNetwork } from './networks/transfer-network.ts';
import { withdrawInvite } from './networks/withdraw-invite.ts';
import type { AnyOperatorOperation } from './operator-operation.ts';
import { pruneHub } from './prune.ts';
import { recordAction } from './record-action.ts';
import { showAddress } from './show-address.ts';
import { supportFacts } from './support-facts.ts';
import { createToken } from './tokens/create-token.ts';
import { listTokens } from './tokens/list-tokens.ts';
import { revokeToken } from './tokens/revoke-token.ts';
import { rotateToken } from './tokens/rotate-token.ts';
import { showToken } from './tokens/show-token.ts';
import { createUser } from './users/create-user.ts';
import { deleteUser } from './users/delete-user.ts';
import { listUsers } from './users/list-users.ts';
import { resetPassword } from './users/reset-password.ts';
import { disableUser, enableUser } from './users/set-disabled.ts';
import { setRole } from './users/set-role.ts';
import { showUser } from './users/show-user.ts';

export const OPERATOR_OPERATIONS: readonly AnyOperatorOperation[] = [
  listUsers,
  showUser,
  createUser,
  resetPassword,
  setRole,
  disableUser,
  enableUser,
  deleteUser,
  listTokens,
  showToken,
  createToken,
  rotateToken,
  revokeToken,
  listNetworks,
  showNetwork,
  listMembers,
  setMemberRole,
  removeMember,
  listInvites,
  createNetwork,
  createInvite,
  withdrawInvite,
  renameNetwork,
  transferNetwork,
  licenseNetwork,
  deleteNetwork,
  listAgents,
  forgetAgent,
  listAuditLog,
  listHubs,
  drainHub,
  inspectDatabase,
  showAddress,
  beginCheckup,
  supportFacts,
  recordAction,
  pruneHub,
];
