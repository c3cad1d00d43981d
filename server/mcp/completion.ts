// Completes `alias`, the only argument of the prompt and the resource template, from the known agents.
import { completeAlias } from '../operations/sessions/complete-alias.ts';
import type { Call } from './call.ts';
import { ask } from './call.ts';
import { INVALID_PARAMS, isObject, RpcError } from './envelope.ts';
import { CHECK_INBOX } from './prompts.ts';
import { INBOX_TEMPLATE, refusalsAsErrors } from './resources.ts';

export async function complete({ params: { ref, argument }, ...asking }: Call): Promise<string> {
  if (!takesAlias(ref))
    throw new RpcError(
      INVALID_PARAMS,
      `ref must be the prompt ${CHECK_INBOX} or the resource template ${INBOX_TEMPLATE}`,
    );
  if (!isObject(argument) || argument.name !== 'alias' || typeof argument.value !== 'string') {
    throw new RpcError(INVALID_PARAMS, 'argument must have the name alias and a string value');
  }
  const beginning = argument.value;
  const { aliases, total, has_more } = await refusalsAsErrors(() => ask(asking, completeAlias, { beginning }));
  return JSON.stringify({ completion: { values: aliases, total, hasMore: has_more } });
}

function takesAlias(ref: unknown): boolean {
  if (!isObject(ref)) return false;
  return (
    (ref.type === 'ref/prompt' && ref.name === CHECK_INBOX) ||
    (ref.type === 'ref/resource' && ref.uri === INBOX_TEMPLATE)
  );
}
