// All requests that a hub accepts, read from the hub: its REST routes and its tools, with the members of each.
import { postRpc } from '../../../test/support/http/mcp-client.ts';
import { isObject, type JsonObject, listOf, objectIn, objectOf, textOf } from '../../../test/support/json.ts';
import type { Draws } from '../../support/random.ts';
import type { Hub } from '../hub.ts';

/** The JSON schema of each member, by name. */
export type Members = Readonly<Record<string, JsonObject>>;

export type Surface = {
  routes: readonly { method: string; path: string; inAddress: readonly string[]; members: Members }[];
  tools: readonly { name: string; members: Members }[];
};

/** Without /metrics, because a request to it resets the hub's stall measurement. */
export async function surfaceOf(hub: Hub, token: string): Promise<Surface> {
  const described = objectIn(await (await fetch(`${hub.url}/openapi.json`)).text());
  const listed = objectIn(
    await (await postRpc(hub.url, token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).text(),
  );
  return { routes: routesIn(described), tools: toolsIn(listed) };
}

function routesIn(described: JsonObject): Surface['routes'] {
  return Object.entries(objectOf(described, 'paths'))
    .filter(([path]) => path !== '/metrics')
    .flatMap(([path, methods]) =>
      Object.entries(isObject(methods) ? methods : {})
        .filter(([, route]) => isObject(route))
        .map(([method, route]) => {
          const parameters =
            isObject(route) && Array.isArray(route.parameters) ? route.parameters.filter(isObject) : [];
          const queried = parameters.map(
            (parameter) => [textOf(parameter, 'name'), isObject(parameter.schema) ? parameter.schema : {}] as const,
          );
          return {
            method: method.toUpperCase(),
            path,
            inAddress: queried.map(([name]) => name),
            members: { ...Object.fromEntries(queried), ...bodyMembers(route) },
          };
        }),
    );
}

function bodyMembers(route: unknown): Members {
  const properties = ['requestBody', 'content', 'application/json', 'schema', 'properties'].reduce<unknown>(
    (value, name) => (isObject(value) ? value[name] : undefined),
    route,
  );
  return membersIn(properties);
}

function toolsIn(listed: JsonObject): Surface['tools'] {
  return listOf(objectOf(listed, 'result'), 'tools').map((tool) => ({
    name: textOf(tool, 'name'),
    members: membersIn(objectOf(tool, 'inputSchema').properties),
  }));
}

function membersIn(properties: unknown): Members {
  if (!isObject(properties)) return {};
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, isObject(schema) ? schema : {}]));
}

/** Values that exist on the hub under attack, by member name. */
export type Known = Readonly<Record<string, readonly [string, ...string[]]>>;

const MOST_TEXT = 10_000;

/** A valid value of the member. */
export function validValue(draws: Draws, name: string, schema: JsonObject, known: Known): unknown {
  const choices = known[name];
  if (choices !== undefined) return draws.oneOf(choices);
  if (Array.isArray(schema.enum) && schema.enum.length > 0)
    return schema.enum[Math.floor(draws.below(schema.enum.length))];
  if (schema.type === 'number' || schema.type === 'integer') return Math.floor(draws.below(3));
  if (schema.type === 'boolean') return draws.below(2) < 1;
  if (schema.type === 'array') return Array.from({ length: Math.floor(draws.below(5)) }, () => text(draws, 20));
  return text(draws, Math.min(MOST_TEXT, typeof schema.maxLength === 'number' ? schema.maxLength : 200));
}

/** Mostly short, sometimes of maximum length, in characters with the most bytes. */
function text(draws: Draws, max: number): string {
  const one = draws.oneOf(['x', '\u0001', '\u{1F980}', '"', '\\', '\u4e2d']);
  return one.repeat(draws.below(5) < 1 ? max : 1 + Math.floor(draws.below(Math.min(max, 20))));
}

const MEBIBYTE = 1024 * 1024;

/** A value that is almost always invalid. */
export function badValue(draws: Draws): unknown {
  return draws.oneOf<() => unknown>([
    () => null,
    () => -1,
    () => 1e308,
    () => '',
    () => true,
    () => [],
    () => ({}),
    () => '\0',
    () => '\ud800',
    () => '__proto__',
    () => NaN,
    () => nested(10 + draws.below(200)),
    () => 'x'.repeat(MOST_TEXT + 1),
    () => '\u{1F980}'.repeat(60_000),
    () => Array.from({ length: draws.below(5_000) }, () => ({})),
    () => ({ toString: null, constructor: { prototype: 1 } }),
    () => '\u202e\u001b[2J',
    () => 'x'.repeat(draws.below(20) < 1 ? MEBIBYTE : 100),
  ])();
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
