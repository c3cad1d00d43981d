// Concurrent registrations on an empty hub: one becomes its admin, and each name is given to one user.
import { objectOf } from '../../../test/support/json.ts';
import { type Hub, until } from '../hub.ts';
import { complaint, expectSame, type Row } from '../row.ts';
import { PROXIED, postFrom } from './addresses.ts';

const SAME_NAME = 6;

export const firstUsers: Row = {
  name: 'first-users',
  promise: 'of many concurrent first users, one is admin',
  test: (users) => `${users} concurrent first registrations, ${SAME_NAME} of them with one name`,
  target: '1 admin, 1 user per name',
  amounts: { least: 8, quick: 12, long: 50 },
  run: async (trial) => {
    const hub = await trial.start({ args: PROXIED });
    const token = await setupToken(hub);
    const responses = await Promise.all(
      Array.from({ length: trial.amount }, (_, number) => {
        const username = number < SAME_NAME ? 'same' : `user${number}`;
        return postFrom(hub, `10.0.0.${number}`, '/api/auth/register', { username, password: 'correct horse' }, token);
      }),
    );
    const admitted = responses.filter(({ status }) => status === 200);
    const admins = admitted.filter(({ body }) => objectOf(body, 'user').role === 'admin');
    const unexpected = responses.filter(({ status, body }) => status !== 200 && body.error !== 'username_taken');
    return {
      figure: `${admins.length} admin among ${admitted.length} of ${trial.amount}`,
      complaints: [
        ...expectSame('admins', admins.length, 1),
        ...expectSame('registered', admitted.length, trial.amount - SAME_NAME + 1),
        ...complaint(
          'other responses',
          unexpected.map(({ status, body }) => `${status} ${String(body.error)}`),
        ),
      ],
    };
  },
};

/** Required for the first user, because a hub behind a proxy is public. */
async function setupToken(hub: Hub): Promise<string> {
  const printed = (): string | undefined => /#setup=(\w+)/.exec(hub.stdout())?.[1];
  await until(async () => printed() !== undefined, 10_000, 50);
  return printed() ?? '';
}
