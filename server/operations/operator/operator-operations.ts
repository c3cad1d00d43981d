// The table of all operator operations, served on the socket in the data directory.
import { beginCheckup } from './begin-checkup.ts';
import { createNetwork } from './networks/create-network.ts';
import { deleteNetwork } from './networks/delete-network.ts';
import { licenseNetwork } from './networks/license-network.ts';
import { listNetworks } from './networks/list-networks.ts';
import type { AnyOperatorOperation } from './operator-operation.ts';
import { pruneHub } from './prune.ts';
import { recordAction } from './record-action.ts';
import { createToken } from './tokens/create-token.ts';
import { listTokens } from './tokens/list-tokens.ts';
import { revokeToken } from './tokens/revoke-token.ts';
import { createUser } from './users/create-user.ts';
import { listUsers } from './users/list-users.ts';
import { resetPassword } from './users/reset-password.ts';
import { disableUser, enableUser } from './users/set-disabled.ts';
import { setRole } from './users/set-role.ts';

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
  recordAction,
  pruneHub,
];
