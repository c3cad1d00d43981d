// Resources: data that a host application can show its agent without a tool call. Each is the result of one operation.
import { HubError } from '../domain/errors.ts';
import type { EventName } from '../domain/events.ts';
import { MAX_NAME, MAX_URI_BYTES } from '../domain/limits.ts';
import { codePoints } from '../domain/text/characters.ts';
import { getInbox } from '../operations/agents/get-inbox.ts';
import { getAllStatus } from '../operations/sessions/get-all-status.ts';
import { type Asking, ask, type Call } from './call.ts';
import { INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcError } from './envelope.ts';

export const INBOX_TEMPLATE = 'hub://inbox/{alias}';
const STATUS_URI = 'hub://status';
const INBOX_PREFIX = 'hub://inbox/';

const RESOURCES = JSON.stringify({
  resources: [
    {
      uri: STATUS_URI,
      name: 'status',
      title: 'Agents',
      description: 'Every agent and its current status.',
      mimeType: 'application/json',
    },
  ],
});

const TEMPLATES = JSON.stringify({
  resourceTemplates: [
    {
      uriTemplate: INBOX_TEMPLATE,
      name: 'inbox',
      title: 'Inbox',
      description: 'Pending messages of an agent.',
      mimeType: 'application/json',
    },
  ],
});

export const listResources = (): string => RESOURCES;
export const listResourceTemplates = (): string => TEMPLATES;

export type Resource = {
  read(asking: Asking): Promise<object>;
  /** The events that signal a change: of this inbox or of any. `changedBy` limits them to these names. */
  topic: { inbox?: string };
  changedBy?: readonly EventName[];
};

/** Throws for a URI longer than the longest valid one. */
export function findResource(uri: string): Resource | undefined {
  assertShort(uri);
  if (uri === STATUS_URI) return { read: (asking) => ask(asking, getAllStatus, {}), topic: {}, changedBy: ['session'] };
  const alias = uri.startsWith(INBOX_PREFIX) ? unescaped(uri.slice(INBOX_PREFIX.length)) : '';
  assertAlias(alias);
  return alias === '' ? undefined : { read: (asking) => ask(asking, getInbox, { alias }), topic: { inbox: alias } };
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

export async function readResource({ era, params: { uri }, ...asking }: Call): Promise<string> {
  if (typeof uri !== 'string') throw new RpcError(INVALID_PARAMS, 'uri must be a string');
  const resource = findResource(uri);
  if (resource === undefined) {
    const code = era === 'modern' ? INVALID_PARAMS : RESOURCE_NOT_FOUND;
    throw new RpcError(code, `unknown resource; this hub has ${STATUS_URI} and ${INBOX_TEMPLATE}`, {
      data: { uri },
    });
  }
  const text = await refusalsAsErrors(() => resource.read(asking), { uri });
  return JSON.stringify({ contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(text) }] });
}

/** Outside of tools, a refusal becomes a protocol error; `data` contains the exact error code of the interface. */
export async function refusalsAsErrors<T>(act: () => Promise<T>, data: object = {}): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof HubError)
      throw new RpcError(INVALID_PARAMS, `${error.code}: ${error.message}`, { data: { ...data, error: error.code } });
    throw error;
  }
}
