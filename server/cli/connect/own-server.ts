// Tells a server entry that `connect` wrote from one of a person with the same name.
import type { Configuration } from '../../domain/clients/setup.ts';
import type { JsonPath } from './text/json-text.ts';

/** Each member that is not an object, with its path. */
export function leavesOf(value: unknown, path: JsonPath = []): [path: JsonPath, value: unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

/** The members by which an entry of connect is recognized: its address, and the token or a reference to it. */
const REQUIRED: readonly unknown[] = ['url', 'httpUrl', 'Authorization', 'bearer_token_env_var'];

/**
 * Whether the value is an entry in the form of one of the configurations. One that is recorded as written may have
 * more members by now.
 */
export function isOwnServer(value: unknown, forms: readonly Configuration[], isRecorded: boolean): boolean {
  const text = JSON.stringify(value);
  const [, hub] = /"(?:url|httpUrl)":"(https?:[^"]+)\/mcp"/.exec(text) ?? [];
  if (hub === undefined) return false;
  const [, token] = /"Bearer (ntok_\w+)"/.exec(text) ?? [];
  return forms.some(({ entry }) => isOfForm(value, entry(hub, token), isRecorded));
}

function isOfForm(value: unknown, form: object, isRecorded: boolean): boolean {
  const wanted = leavesOf(form).filter(([, inner]) => inner !== undefined);
  const present = leavesOf(value).map((leaf) => JSON.stringify(leaf));
  const required = wanted.filter(([path]) => REQUIRED.includes(path.at(-1))).map((leaf) => JSON.stringify(leaf));
  const allowed = wanted.map((leaf) => JSON.stringify(leaf));
  return (
    required.every((leaf) => present.includes(leaf)) && (isRecorded || present.every((leaf) => allowed.includes(leaf)))
  );
}
