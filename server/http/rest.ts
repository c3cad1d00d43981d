// The REST handler: merges query, body and path into the input of an operation and responds with its result as JSON.
import type { Context, Middleware } from 'koa';
import { invalidInput } from '../domain/errors.ts';
import type { Hub } from '../hub.ts';
import { type AnyOperation, type InputSchema, perform } from '../operations/operation.ts';
import { authenticate, authenticateAgain, goneOf, senderOf, visitorOf } from './authenticate.ts';
import type { BodySize } from './bodies/collector.ts';
import { type Bodies, type Body, PUBLIC_BODY, USUAL_BODY } from './bodies/read-body.ts';
import { allowCompression } from './compression.ts';
import { isForwarded } from './forwarded.ts';
import { answerJson } from './json-response.ts';
import { type ResponseMemory, recipientOf } from './limits/response-memory.ts';
import type { UserConcurrency } from './limits/user-concurrency.ts';

export type Memory = { bodies: Bodies; responseMemory: ResponseMemory };

/**
 * `inQuery` lists fields that a request with a body may pass in its query; `size` limits the body; `concurrency` limits
 * requests without a body that run at the same time.
 */
export type RestOptions = {
  inQuery?: readonly string[] | undefined;
  size?: BodySize | undefined;
  concurrency?: UserConcurrency | undefined;
};

export function restHandler(
  hub: Hub,
  { bodies, responseMemory }: Memory,
  operation: AnyOperation,
  { inQuery = [], size = USUAL_BODY, concurrency }: RestOptions = {},
): Middleware {
  const isPublic = operation.access === 'public';
  return async (ctx) => {
    const asking = isPublic ? visitorOf(ctx) : await authenticate(hub, ctx);
    const client = {
      arrival: () => ({ host: ctx.get('host'), isForwarded: isForwarded(ctx.headers) }),
      recipient: recipientOf(ctx, responseMemory),
      gone: operation.isQueued ? goneOf(ctx) : undefined,
    };
    const queried = fromQuery(ctx.query, operation.input);
    if (ctx.method === 'GET' || ctx.method === 'DELETE') {
      const input = { ...queried, ...ctx.params };
      const run = async (): Promise<object> =>
        perform(operation, hub, await authenticateAgain(hub, ctx, asking), input, client);
      answerJson(ctx, await (concurrency?.take(senderOf(asking).id, 1, run, goneOf(ctx)) ?? run()));
      return allowCompression(ctx);
    }
    const body = await bodies.read(ctx, senderOf(asking), isPublic ? PUBLIC_BODY : size);
    const named = Object.entries(queried).filter(([key]) => inQuery.includes(key));
    const input = { ...objectIn(body), ...Object.fromEntries(named), ...ctx.params };
    const present = await authenticateAgain(hub, ctx, asking);
    answerJson(ctx, await perform(operation, hub, present, input, client));
  };
}

function objectIn(body: Body): object {
  if ('error' in body) throw body.error;
  if (typeof body.value !== 'object' || body.value === null || Array.isArray(body.value))
    throw invalidInput('the body must be a JSON object');
  return body.value;
}

// Query values are text: where the operation takes a number, numeric text is converted.
function fromQuery(query: Context['query'], schema: InputSchema): object {
  return Object.fromEntries(
    Object.entries(query).map(([key, value]) => [key, isNumeric(schema, key) ? numberOr(value) : value]),
  );
}

function isNumeric(schema: InputSchema, key: string): boolean {
  const entry = Object.hasOwn(schema.entries, key) ? schema.entries[key] : undefined;
  return entry !== undefined && innermost(entry).type === 'number';
}

function innermost(schema: { type: string; wrapped?: unknown }): { type: string } {
  const { wrapped } = schema;
  const isSchema =
    typeof wrapped === 'object' && wrapped !== null && 'type' in wrapped && typeof wrapped.type === 'string';
  return isSchema ? innermost({ ...wrapped, type: String(wrapped.type) }) : schema;
}

function numberOr(value: string | string[] | undefined): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}
