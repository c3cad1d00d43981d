// completion/complete. The hub completes `alias`, the only argument of its prompt and its resource template, from the
// known agents.
import { completeAlias } from '../operations/sessions/complete-alias.ts';
import { ask, type Call } from './call.ts';
import type { Completion } from './catalogue.ts';
import { INVALID_PARAMS, isObject, RpcError } from './envelope.ts';
import { CHECK_INBOX } from './prompts.ts';
import { INBOX_TEMPLATE, refusalsAsErrors } from './resources.ts';

export async function complete({ params: { ref, argument }, catalogue, ...asking }: Call): Promise<string> {
  const known = catalogue.completions.filter((completion) => isRef(ref, completion.ref));
  if (known.length === 0)
    throw new RpcError(INVALID_PARAMS, `ref must be ${catalogue.completions.map(nameOf).join(' or ')}`);
  const { name, value } = isObject(argument) ? argument : {};
  const completion = known.find((each) => each.argument === name);
  if (completion === undefined || typeof value !== 'string') {
    const names = known.map((each) => each.argument).join(' or ');
    throw new RpcError(INVALID_PARAMS, `argument must have the name ${names} and a string value`);
  }
  return JSON.stringify({ completion: await refusalsAsErrors(() => completion.complete(asking, value)) });
}

function isRef(given: unknown, ref: Completion['ref']): boolean {
  if (!isObject(given) || given.type !== ref.type) return false;
  return ref.type === 'ref/prompt' ? given.name === ref.name : given.uri === ref.uri;
}

function nameOf({ ref }: Completion): string {
  return ref.type === 'ref/prompt' ? `the prompt ${ref.name}` : `the resource template ${ref.uri}`;
}

const alias: Pick<Completion, 'argument' | 'complete'> = {
  argument: 'alias',
  complete: async (asking, beginning) => {
    const { aliases, total, has_more } = await ask(asking, completeAlias, { beginning });
    return { values: aliases, total, hasMore: has_more };
  },
};

export const ALIAS_COMPLETIONS: readonly Completion[] = [
  { ref: { type: 'ref/prompt', name: CHECK_INBOX.listed.name }, ...alias },
  { ref: { type: 'ref/resource', uri: INBOX_TEMPLATE }, ...alias },
];
