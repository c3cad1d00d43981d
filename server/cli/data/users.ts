// user list, show, create, reset-password, set-role, disable, enable, delete: manage the accounts of the hub in a data
// directory.
import { createUser } from '../../operations/operator/users/create-user.ts';
import { deleteUser } from '../../operations/operator/users/delete-user.ts';
import { listUsers } from '../../operations/operator/users/list-users.ts';
import { resetPassword } from '../../operations/operator/users/reset-password.ts';
import { disableUser, enableUser } from '../../operations/operator/users/set-disabled.ts';
import { setRole } from '../../operations/operator/users/set-role.ts';
import { showUser } from '../../operations/operator/users/show-user.ts';
import { wrongUsage } from '../exit-codes.ts';
import { age, facts, type OutputOptions, sayAnswer, sayLine, table, zoned } from '../output.ts';
import { type ConfirmOptions, confirm, openPrompt } from '../prompt.ts';
import { lineOfInput } from '../text-argument.ts';
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
        zoned(user.created_at),
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
  const password = process.stdin.isTTY ? await askPassword() : await lineOfInput();
  if (password === '')
    throw wrongUsage('standard input has no password; provide one, or omit --password-stdin to generate one');
  return password;
}

async function askPassword(): Promise<string> {
  const prompt = openPrompt();
  return prompt.askSecret('New password: ').finally(prompt.close);
}

export async function userShow(user: string, options: Options): Promise<void> {
  sayAnswer(options, await asOperator(options, showUser, { user }), ({ user, networks, live_tokens }) =>
    facts([
      ['username', user.username],
      ['name', user.display_name],
      ['email', user.email],
      ['role', user.role],
      ['state', user.disabled ? 'disabled' : 'active'],
      ['id', user.user_id],
      ['created', zoned(user.created_at)],
      ['last used', zoned(user.last_used_at)],
      ['tokens', live_tokens],
      ...networks.map(
        ({ network_id, network_name, role }, index) =>
          [index === 0 ? 'networks' : '', `${network_name} (${role}, ${network_id})`] as const,
      ),
    ]),
  );
}

type DeleteOptions = Options & ConfirmOptions & { transferTo?: string; deleteNetworks?: true; force?: true };

export async function userDelete(user: string, options: DeleteOptions): Promise<void> {
  const { transferTo: transfer_to, deleteNetworks: delete_networks, force } = options;
  await confirm(options, async () => consequences(await asOperator(options, showUser, { user }), options));
  sayLine(
    options,
    await asOperator(options, deleteUser, { user, transfer_to, delete_networks, force }),
    ({ username, transferred, deleted }) =>
      [
        `deleted ${username}`,
        ...(transferred.length > 0 ? [`transferred to ${transfer_to}: ${transferred.join(', ')}`] : []),
        ...(deleted.length > 0 ? [`deleted with everything in them: ${deleted.join(', ')}`] : []),
      ].join('; '),
  );
}

type Shown = Awaited<ReturnType<typeof showUser.run>>;

function consequences({ user, networks, live_tokens }: Shown, { transferTo, deleteNetworks }: DeleteOptions): string {
  const owned = networks.filter(({ role }) => role === 'owner').map(({ network_name }) => network_name);
  const ofNetworks = transferTo === undefined ? 'deletes' : `transfers to ${transferTo}`;
  return [
    `This deletes the account ${user.username} (${user.user_id}) with its ${live_tokens} tokens, memberships, sign-ins and notifiers, and closes its connections.`,
    ...(owned.length > 0 && (deleteNetworks || transferTo !== undefined)
      ? [
          `It ${ofNetworks} the networks ${owned.join(', ')}${deleteNetworks ? ' with all agents, tasks and messages' : ''}.`,
        ]
      : []),
  ].join('\n');
}
