// REST as a script uses it: plain fetch, JSON in and out, with statuses and headers unchanged.
import { type JsonObject, objectIn, objectOf, textOf } from '../json.ts';

export type RestReply = { status: number; headers: Headers; body: JsonObject };

export type RestClient = {
  get(path: string): Promise<RestReply>;
  post(path: string, body?: object): Promise<RestReply>;
};

export function restClient(url: string, token?: string): RestClient {
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const json = { ...authorization, 'Content-Type': 'application/json' };
  return {
    get: async (path) => read(await fetch(url + path, { headers: authorization })),
    post: async (path, body = {}) =>
      read(await fetch(url + path, { method: 'POST', headers: json, body: JSON.stringify(body) })),
  };
}

async function read(response: Response): Promise<RestReply> {
  return { status: response.status, headers: response.headers, body: objectIn(await response.text()) };
}

export const PASSWORD = 'correct horse';

export type Account = { user: JsonObject; userToken: string; networkToken: string; networkId: string };

/** A new user with their own network. The first user of a public hub needs its setup token. */
export async function register(url: string, username = 'ada', setupToken?: string): Promise<Account> {
  const { status, body } = await restClient(url, setupToken).post('/api/auth/register', {
    username,
    password: PASSWORD,
  });
  if (status !== 200) throw new Error(`registering ${username} returned ${status} ${JSON.stringify(body)}`);
  return {
    user: objectOf(body, 'user'),
    userToken: textOf(body, 'token'),
    networkToken: textOf(body, 'network_token'),
    networkId: textOf(body, 'network_id'),
  };
}
