// Completion of `alias`, the one argument that the prompt and the resource template take: the agents that are known.
import type { Call } from './call.ts';
import { ask } from './call.ts';
import { getAllStatus } from '../operations/sessions/get-all-status.ts';
import { INVALID_PARAMS, isObject, RpcError } from './envelope.ts';
import { CHECK_INBOX } from './prompts.ts';
import { INBOX_TEMPLATE, refusalsAsErrors } from './resources.ts';

const MAX_VALUES = 100; // the protocol's own limit

export async function complete({ hub, caller, params: { ref, argument } }: Call): Promise<string> {
  if (!takesAlias(ref)) throw new RpcError(INVALID_PARAMS, `ref must name the prompt ${CHECK_INBOX} or the resource template ${INBOX_TEMPLATE}`);
  if (!isObject(argument) || argument.name !== 'alias' || typeof argument.value !== 'string') {
    throw new RpcError(INVALID_PARAMS, 'argument must have the name alias and the value typed so far');
  }
  const { sessions } = await refusalsAsErrors(() => ask(hub, caller, getAllStatus, {}));
  const fitting = beginningWith(argument.value, sessions.map(({ alias }) => alias));
  return JSON.stringify({ completion: { values: fitting.slice(0, MAX_VALUES), total: fitting.length, hasMore: fitting.length > MAX_VALUES } });
}

function takesAlias(ref: unknown): boolean {
  if (!isObject(ref)) return false;
  return (ref.type === 'ref/prompt' && ref.name === CHECK_INBOX) || (ref.type === 'ref/resource' && ref.uri === INBOX_TEMPLATE);
}

function beginningWith(typed: string, aliases: readonly string[]): string[] {
  const beginning = typed.toLowerCase();
  return aliases.filter((alias) => alias.toLowerCase().startsWith(beginning));
}
