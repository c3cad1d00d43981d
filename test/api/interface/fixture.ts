// The fixture for the interface rows: one hub, its first user, and more users who join networks in every role. Each row
// gets a new network, so rows cannot affect each other.
import { type Account, PASSWORD } from '../../support/http/rest-client.ts';
import { isObject, type JsonObject, listOf, objectIn, objectOf, textOf } from '../../support/json.ts';
import type { Target } from '../../support/process/hub-process.ts';
import { hubOf } from '../../support/process/registered-hub.ts';
import { BEHIND_A_PROXY, type RunningHub, startHub } from '../../support/process/running-hub.ts';

export type Reply = { status: number; headers: Headers; body: JsonObject };
export type RequestOptions = { token?: string | undefined; body?: unknown; headers?: Readonly<Record<string, string>> };
export type User = { user_id: string; username: string; token: string; network_token: string; network_id: string };

export type Fixture = {
  hub: RunningHub;
  /** The first user, and so the system admin. */
  admin: User;
  owner: User;
  member: User;
  viewer: User;
  /** A user whose only network is the one of their registration. */
  outsider: User;
  ask(method: string, path: string, ask?: RequestOptions): Promise<Reply>;
  newUser(username?: string): Promise<User>;
  /** A network that `owner` owns. */
  newNetwork(): Promise<TestNetwork>;
  /** Another empty hub with other settings, closed at the end of the test. */
  newHub(args: readonly string[]): Promise<RunningHub>;
  /** A second hub with these settings, opened once for all rows. */
  hubWith(args: readonly string[]): Promise<Fixture>;
};

/** Registers cleanup that runs after all rows. */
export type AtEnd = (cleanup: () => Promise<void>) => void;

/** A network for one row, with its most frequent actions. */
export type TestNetwork = {
  fixture: Fixture;
  network_id: string;
  /** The owner's token. */
  token: string;
  ask(method: string, path: string, ask?: RequestOptions): Promise<Reply>;
  /** The parsed text of the tool result, whether success or error. */
  tool(name: string, args?: object, token?: string): Promise<JsonObject>;
  /** Adds the user as a member with this role and returns their network token. */
  join(user: User, role: 'member' | 'viewer'): Promise<string>;
  report(alias: string, rest?: object): Promise<JsonObject>;
  /** Sends a task from alice to bob and returns its id. */
  task(rest?: object): Promise<string>;
};

export async function openFixture(target: Target, atEnd: AtEnd, args: readonly string[] = []): Promise<Fixture> {
  const [hub, ...accounts] = await hubOf(USERS, {
    target,
    args: [...BEHIND_A_PROXY, ...NO_NETWORK_LIMIT, ...ANY_ADDRESS, ...args],
    atEnd,
  });
  const unused = accounts.map(userOf);
  const nextUser = async (): Promise<User> => unused.shift() ?? newUser(hub, `user_${++users}`);
  const others = new Map<string, Promise<Fixture>>();
  const fixture: Fixture = {
    hub,
    admin: await nextUser(),
    owner: await nextUser(),
    member: await nextUser(),
    viewer: await nextUser(),
    outsider: await nextUser(),
    ask: (method, path, ask) => askHub(hub, method, path, ask),
    newUser: (username) => (username === undefined ? nextUser() : newUser(hub, username)),
    newNetwork: () => newNetwork(fixture),
    newHub: (other) => startHub({ target, args: [...BEHIND_A_PROXY, ...other] }),
    hubWith: (other) => remembered(others, other.join(' '), () => openFixture(target, atEnd, other)),
  };
  return fixture;
}

/** Enough for the rows of most tables. Registering another takes a quarter of a second. */
const USERS = ['admin_1', ...Array.from({ length: 24 }, (_, index) => `user_${index + 1}`)];
let users = USERS.length;

/** One user owns the networks of all rows. */
const NO_NETWORK_LIMIT = ['--max-networks', '0', '--max-memberships', '0'];
/** Rows with notifiers use this machine. */
const ANY_ADDRESS = ['--notifier-addresses', 'all'];

function remembered<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

async function askHub(
  { url }: RunningHub,
  method: string,
  path: string,
  { token, body, headers }: RequestOptions = {},
): Promise<Reply> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      'X-Forwarded-For': newAddress(),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : objectIn(text) };
}

let addresses = 0;

/** Every request uses another address, so that the rate limit never applies. */
export function newAddress(): string {
  addresses += 1;
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

async function newUser(hub: RunningHub, username: string): Promise<User> {
  const { status, body } = await askHub(hub, 'POST', '/api/auth/register', { body: { username, password: PASSWORD } });
  if (status !== 200) throw new Error(`registering ${username} returned ${status} ${JSON.stringify(body)}`);
  const value = {
    token: textOf(body, 'token'),
    network_token: textOf(body, 'network_token'),
    network_id: textOf(body, 'network_id'),
  };
  return { ...value, username, user_id: textOf(objectOf(body, 'user'), 'user_id') };
}

function userOf({ user, userToken, networkToken, networkId }: Account): User {
  const [user_id, username] = [textOf(user, 'user_id'), textOf(user, 'username')];
  return { user_id, username, token: userToken, network_token: networkToken, network_id: networkId };
}

async function newNetwork(fixture: Fixture): Promise<TestNetwork> {
  const made = await asOwner(fixture, 'POST', '/api/networks', { name: 'a row' });
  const network_id = textOf(made, 'network_id');
  const token = textOf(await asOwner(fixture, 'POST', '/api/tokens', { name: 'a row', network_id }), 'token');
  const network: TestNetwork = {
    fixture,
    network_id,
    token,
    ask: (method, path, ask) => fixture.ask(method, path, { token, ...ask }),
    tool: (name, args, other = token) => callTool(fixture, other, name, args),
    join: (user, role) => join(fixture, network_id, user, role),
    report: (alias, rest) =>
      callTool(fixture, token, 'report_status', { resume_id: `${alias}-1`, alias, status: 'idle', ...rest }),
    task: async (rest) =>
      textOf(
        await callTool(fixture, token, 'send_task', { alias: 'bob', task: 'build it', from_session: 'alice', ...rest }),
        'message_id',
      ),
  };
  return network;
}

async function asOwner({ ask, owner }: Fixture, method: string, path: string, body: object): Promise<JsonObject> {
  const response = await ask(method, path, { token: owner.token, body });
  if (response.status !== 200)
    throw new Error(`${method} ${path} returned ${response.status} ${JSON.stringify(response.body)}`);
  return response.body;
}

async function join(fixture: Fixture, networkId: string, user: User, role: 'member' | 'viewer'): Promise<string> {
  const { invite_code } = await asOwner(fixture, 'POST', `/api/networks/${networkId}/invite`, { role });
  const joined = await fixture.ask('POST', '/api/networks/join', { token: user.token, body: { invite_code } });
  return textOf(joined.body, 'network_token');
}

/** The request exactly as the interface shows it, without a handshake or an Accept header. */
async function callTool(fixture: Fixture, token: string, name: string, args: object = {}): Promise<JsonObject> {
  const message = { jsonrpc: '2.0', method: 'tools/call', params: { name, arguments: args }, id: 1 };
  const { status, body } = await fixture.ask('POST', '/mcp', { token, body: message });
  if (status !== 200 || body.jsonrpc !== '2.0' || body.id !== 1)
    throw new Error(`${name} returned ${status} ${JSON.stringify(body)}`);
  return toolResultIn(body);
}

/** The parsed text of a tool result. Only an error has the error flag. */
function toolResultIn(response: JsonObject): JsonObject {
  const result = objectOf(response, 'result');
  const [content, ...more] = listOf(result, 'content');
  if (!isObject(content) || content.type !== 'text' || more.length > 0)
    throw new Error(`no text content in ${JSON.stringify(response)}`);
  const value = objectIn(textOf(content, 'text'));
  if ((result.isError === true) !== (value.ok === false))
    throw new Error(`isError and ok disagree in ${JSON.stringify(response)}`);
  return value;
}
