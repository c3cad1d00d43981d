// Resources: data that a host application can show its agent without a tool call. Each of the hub is the result of one
// operation.
import { HubError } from '../domain/errors.ts';
import { MAX_NAME, MAX_URI_BYTES } from '../domain/limits.ts';
import { codePoints } from '../domain/text/characters.ts';
import { getInbox } from '../operations/agents/get-inbox.ts';
import type { AnyOperation } from '../operations/operation.ts';
import { getAllStatus } from '../operations/sessions/get-all-status.ts';
import { ask, type Call } from './call.ts';
import type { Catalogue, Resource } from './catalogue.ts';
import { INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcError } from './envelope.ts';

export const INBOX_TEMPLATE = 'hub://inbox/{alias}';
const STATUS_URI = 'hub://status';
const INBOX_PREFIX = 'hub://inbox/';
const JSON_TYPE = 'application/json';

export const RESOURCES: Catalogue['resources'] = [
  {
    uri: STATUS_URI,
    name: 'status',
    title: 'Agents',
    description: 'Every agent and its current status.',
    mimeType: JSON_TYPE,
  },
];

export const TEMPLATES: Catalogue['resourceTemplates'] = [
  {
    uriTemplate: INBOX_TEMPLATE,
    name: 'inbox',
    title: 'Inbox',
    description: 'Pending messages of an agent.',
    mimeType: JSON_TYPE,
  },
];

export function listResources({ catalogue }: Call): string {
  return JSON.stringify({ resources: catalogue.resources });
}

export function listResourceTemplates({ catalogue }: Call): string {
  return JSON.stringify({ resourceTemplates: catalogue.resourceTemplates });
}

export function findHubResource(uri: string): Resource | undefined {
  if (uri === STATUS_URI) return { read: readWith(getAllStatus, {}), topic: {}, changedBy: ['session'] };
  const alias = uri.startsWith(INBOX_PREFIX) ? unescaped(uri.slice(INBOX_PREFIX.length)) : '';
  assertAlias(alias);
  return alias === '' ? undefined : { read: readWith(getInbox, { alias }), topic: { inbox: alias } };
}

function readWith(operation: AnyOperation, input: object): Resource['read'] {
  return async (asking) => ({ mimeType: JSON_TYPE, text: JSON.stringify(await ask(asking, operation, input)) });
}

/** Throws for a URI longer than the longest valid one. */
export function findResource(catalogue: Catalogue, uri: string): Resource | undefined {
  assertShort(uri);
  return catalogue.findResource(uri);
}

function assertShort(uri: string): void {
  if (Buffer.byteLength(uri) > MAX_URI_BYTES)
    throw new RpcError(INVALID_PARAMS, `a resource URI must have at most ${MAX_URI_BYTES} bytes`);
}

export function assertAlias(alias: string): void {
  if (codePoints(alias) > MAX_NAME)
    throw new RpcError(INVALID_PARAMS, `alias must have at most ${MAX_NAME} characters`);
}

// An alias may contain any character; clients percent-encode those that are invalid in a URI.
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

export async function readResource({ era, catalogue, params: { uri }, ...asking }: Call): Promise<string> {
  if (typeof uri !== 'string') throw new RpcError(INVALID_PARAMS, 'uri must be a string');
  const resource = findResource(catalogue, uri);
  if (resource === undefined) {
    const code = era === 'modern' ? INVALID_PARAMS : RESOURCE_NOT_FOUND;
    throw new RpcError(code, `unknown resource; this hub has ${namesOf(catalogue)}`, { data: { uri } });
  }
  const content = await refusalsAsErrors(() => resource.read(asking), { uri });
  return JSON.stringify({ contents: [{ uri, ...content }] });
}

function namesOf({ resources, resourceTemplates }: Catalogue): string {
  return [...resources.map(({ uri }) => uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)].join(' and ');
}

/** Outside of tools, a refusal becomes a protocol error; `data` contains the exact error code of the interface. */
export async function refusalsAsErrors<T>(act: () => Promise<T>, data: object = {}): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof HubError)
      throw new RpcError(INVALID_PARAMS, `${error.code}: ${error.message}`, {
        data: { ...data, error: error.code },
        refusal: error.code,
      });
    throw error;
  }
}
