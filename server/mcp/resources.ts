// Resources: what a host application may put before its agent without a tool call. Each is a view of one operation.
import type { Caller } from '../domain/accounts/caller.ts';
import { HubError } from '../domain/errors.ts';
import type { EventName } from '../domain/events.ts';
import { codePoints } from '../domain/fields.ts';
import { MAX_NAME, MAX_URI_BYTES } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import { getInbox } from '../operations/agents/get-inbox.ts';
import { getAllStatus } from '../operations/sessions/get-all-status.ts';
import { ask, type Call } from './call.ts';
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
      description: 'Every agent and what it does.',
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
  read(hub: Hub, caller: Caller): Promise<object>;
  /** The events that say it changed: of this inbox or of any, and of these names where not all of them do. */
  topic: { inbox?: string };
  changedBy?: readonly EventName[];
};

/** Throws for a URI that is longer than any of ours can be. */
export function findResource(uri: string): Resource | undefined {
  assertShort(uri);
  if (uri === STATUS_URI)
    return { read: (hub, caller) => ask(hub, caller, getAllStatus, {}), topic: {}, changedBy: ['session'] };
  const alias = uri.startsWith(INBOX_PREFIX) ? unescaped(uri.slice(INBOX_PREFIX.length)) : '';
  assertAlias(alias);
  return alias === ''
    ? undefined
    : { read: (hub, caller) => ask(hub, caller, getInbox, { alias }), topic: { inbox: alias } };
}

function assertShort(uri: string): void {
  if (Buffer.byteLength(uri) > MAX_URI_BYTES)
    throw new RpcError(INVALID_PARAMS, `a resource URI must have at most ${MAX_URI_BYTES} bytes`);
}

export function assertAlias(alias: string): void {
  if (codePoints(alias) > MAX_NAME)
    throw new RpcError(INVALID_PARAMS, `alias must have at most ${MAX_NAME} characters`);
}

// An alias may hold any character; the template's client escapes those that a URI does not take.
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

export async function readResource({ hub, caller, era, params: { uri } }: Call): Promise<string> {
  if (typeof uri !== 'string') throw new RpcError(INVALID_PARAMS, 'uri must be a string');
  const resource = findResource(uri);
  if (resource === undefined) {
    const code = era === 'modern' ? INVALID_PARAMS : RESOURCE_NOT_FOUND;
    throw new RpcError(code, `there is no such resource; this hub has ${STATUS_URI} and ${INBOX_TEMPLATE}`, {
      data: { uri },
    });
  }
  const text = await refusalsAsErrors(() => resource.read(hub, caller), { uri });
  return JSON.stringify({ contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(text) }] });
}

/**
 * Outside of a tool, a refusal has no other form than an error of the protocol; `data` keeps the interface's exact
 * word.
 */
export async function refusalsAsErrors<T>(act: () => Promise<T>, data: object = {}): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof HubError)
      throw new RpcError(INVALID_PARAMS, `${error.code}: ${error.message}`, { data: { ...data, error: error.code } });
    throw error;
  }
}
