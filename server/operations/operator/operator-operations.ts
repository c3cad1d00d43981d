// The table of all operator operations, served on the socket in the data directory.
import { beginCheckup } from './begin-checkup.ts';
import { createNetwork } from './create-network.ts';
import { createToken } from './create-token.ts';
import { createUser } from './create-user.ts';
import { deleteNetwork } from './delete-network.ts';
import { licenseNetwork } from './license-network.ts';
import { listNetworks } from './list-networks.ts';
import { listTokens } from './list-tokens.ts';
import { listUsers } from './list-users.ts';
import type { AnyOperatorOperation } from './operator-operation.ts';
import { pruneHub } from './prune.ts';
import { recordAction } from './record-action.ts';
import { resetPassword } from './reset-password.ts';
import { revokeToken } from './revoke-token.ts';
import { disableUser, enableUser } from './set-disabled.ts';
import { setRole } from './set-role.ts';
import { supportFacts } from './support-facts.ts';

export const OPERATOR_OPERATIONS: readonly AnyOperatorOperation[] = [
  listUsers,
  createUser,
  resetPassword,
  setRole,
  disableUser,
  enableUser,
  listTokens,
  createToken,
  revokeToken,
  listNetworks,
  createNetwork,
  licenseNetwork,
  deleteNetwork,
  beginCheckup,
  supportFacts,
  recordAction,
  pruneHub,
];
