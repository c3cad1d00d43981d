// user list, create, reset-password, set-role, disable, enable: manage the accounts of the hub in a data directory.
import { createUser } from '../../operations/operator/users/create-user.ts';
import { listUsers } from '../../operations/operator/users/list-users.ts';
import { resetPassword } from '../../operations/operator/users/reset-password.ts';
import { disableUser, enableUser } from '../../operations/operator/users/set-disabled.ts';
import { setRole } from '../../operations/operator/users/set-role.ts';
import { wrongUsage } from '../exit-codes.ts';
import { age, facts, type OutputOptions, sayAnswer, sayLine, table } from '../output.ts';
import { standardInput } from '../text-argument.ts';
import { asOperator, type DataOptions, listAsOperator } from './as-operator.ts';

type Options = DataOptions & OutputOptions;
type PasswordOption = { passwordStdin?: true };

export async function userList(options: Options): Promise<void> {
  sayAnswer(options, await listAsOperator(options, listUsers, 'users', {}), ({ users }) =>
    table(
      ['USERNAME', 'ROLE', 'STATE', 'NETWORKS', 'LAST USED', 'CREATED', 'ID'],
      users.map((user) => [
        user.username,
        user.role,
        user.disabled ? 'disabled' : 'active',
        user.networks,
        user.last_used_at && `${age(user.last_used_at)} ago`,
        user.created_at,
        user.user_id,
      ]),
    ),
  );
}

type CreateOptions = Options & PasswordOption & { role?: string; displayName?: string; email?: string };

export async function userCreate(username: string, options: CreateOptions): Promise<void> {
  const { role, displayName: display_name, email } = options;
  const answer = await asOperator(options, createUser, {
    username,
    role,
    display_name,
    email,
    password: await passwordIn(options),
  });
  sayAnswer(
    options,
    answer,
    ({ user, network_id, network_token, password }) =>
      `created ${user.username} with role ${user.role}; these secrets are shown only once:\n${facts([
        ['password', password],
        ['network token', network_token],
        ['network', network_id],
      ])}`,
  );
}

export async function userResetPassword(user: string, options: Options & PasswordOption): Promise<void> {
  const answer = await asOperator(options, resetPassword, { user, password: await passwordIn(options) });
  sayAnswer(options, answer, ({ username, ended_sign_ins, password }) =>
    [
      `${username} has a new password; ${ended_sign_ins} ${ended_sign_ins === 1 ? 'sign-in has' : 'sign-ins have'} ended`,
      ...(password === undefined ? [] : [`password  ${password}`]),
    ].join('\n'),
  );
}

export async function userSetRole(user: string, role: string, options: Options): Promise<void> {
  sayLine(
    options,
    await asOperator(options, setRole, { user, role }),
    (answer) => `${answer.username} ${answer.changed ? 'is now' : 'was already'} ${answer.role}`,
  );
}

export async function userDisable(user: string, options: Options): Promise<void> {
  sayLine(options, await asOperator(options, disableUser, { user }), ({ username, changed }) =>
    changed
      ? `${username} is disabled and their tokens are suspended; agenthub user enable ${username} restores access`
      : `${username} was already disabled`,
  );
}

export async function userEnable(user: string, options: Options): Promise<void> {
  sayLine(options, await asOperator(options, enableUser, { user }), ({ username, changed }) =>
    changed ? `${username} is enabled and their tokens are valid again` : `${username} was not disabled`,
  );
}

async function passwordIn({ passwordStdin }: PasswordOption): Promise<string | undefined> {
  if (!passwordStdin) return undefined;
  const password = (await standardInput()).replace(/\r?\n$/, '');
  if (password === '')
    throw wrongUsage('standard input has no password; provide one, or omit --password-stdin to generate one');
  return password;
}
