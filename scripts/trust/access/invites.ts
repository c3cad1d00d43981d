// An invite for ten users admits ten, however many join at once. The two hundred users are written into the database,
// because hashing their passwords would take a minute.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { newToken, tokenHash } from '../../../server/domain/accounts/token.ts';
import { randomIds } from '../../../server/domain/ids/ids.ts';
import { systemClock } from '../../../server/domain/time/clock.ts';
import { register, restClient } from '../../../test/support/http/rest-client.ts';
import { listOf, textOf } from '../../../test/support/json.ts';
import { complaint, expectSame, type Row } from '../row.ts';

const NEW_USERS = 200;
const MAX_USES = 10;

export const invites: Row = {
  name: 'invites',
  promise: 'an invite admits exactly its number of users',
  test: (rounds) => `${NEW_USERS} concurrent joins with an invite for ${MAX_USES}, ${rounds} times`,
  target: `${MAX_USES} members each time`,
  amounts: { least: 1, quick: 2, long: 50 },
  run: async (trial) => {
    const first = await trial.start();
    const host = await register(first.url);
    await first.kill('SIGTERM');
    const newUsers = plantUsers(join(first.data, 'agenthub.db'));
    const hub = await trial.start({ data: first.data });
    const owner = restClient(hub.url, host.userToken);
    const complaints: string[] = [];
    for (let round = 0; round < trial.amount; round++) {
      const network = textOf((await owner.post('/api/networks', { name: `round ${round}` })).body, 'network_id');
      const { body } = await owner.post(`/api/networks/${network}/invite`, { max_uses: MAX_USES });
      const invite_code = textOf(body, 'invite_code');
      const responses = await Promise.all(
        newUsers.map((token) => restClient(hub.url, token).post('/api/networks/join', { invite_code })),
      );
      const members = listOf((await owner.get(`/api/networks/${network}/members`)).body, 'members');
      complaints.push(
        ...expectSame('admitted', responses.filter(({ status }) => status === 200).length, MAX_USES),
        ...expectSame('members besides the owner', members.length - 1, MAX_USES),
        ...complaint(
          'other responses',
          responses
            .filter(({ status, body: refused }) => status !== 200 && refused.error !== 'invite_used_up')
            .map(({ status }) => status),
        ),
      );
    }
    return { figure: `${MAX_USES} of ${NEW_USERS} admitted, ${complaints.length} exceptions`, complaints };
  },
};

/** Returns a user token of each. Do not use this while a hub runs on the file. */
function plantUsers(file: string): string[] {
  const ids = randomIds(systemClock);
  const database = new DatabaseSync(file);
  const user = database.prepare(
    `INSERT INTO users (user_id, username, username_key, display_name, role, password_hash, created_at)
     SELECT ?1, ?2, ?2, ?2, 'user', password_hash, created_at FROM users LIMIT 1`,
  );
  const token = database.prepare(
    "INSERT INTO tokens (token_id, token_hash, user_id, kind, name, created_at) VALUES (?, ?, ?, 'user', 'login', 0)",
  );
  const planted = Array.from({ length: NEW_USERS }, (_, number) => {
    const made = newToken('user', ids);
    user.run(`usr_new${number}`, `new_user${number}`);
    token.run(`tok_new${number}`, tokenHash(made), `usr_new${number}`);
    return made;
  });
  database.close();
  return planted;
}
