// Reads a request body: JSON in UTF-8, at most 1 MiB, not nested without end. What cannot be read is kept as the error
// to answer with, since REST and MCP word it differently.
import { isUtf8 } from 'node:buffer';
import bodyParser from 'koa-bodyparser';
import type { Context, Middleware } from 'koa';
import { HubError, invalidInput, payloadTooLarge, unsupportedMediaType } from '../domain/errors.ts';
import { MAX_BODY_BYTES, MAX_JSON_DEPTH } from '../domain/limits.ts';

/** What came in the body: a JSON value, or the error that says why there is none. */
export type Body = { value: unknown } | { error: HubError };

const bodies = new WeakMap<Context, Body>();

export function bodyOf(ctx: Context): Body {
  return bodies.get(ctx) ?? { value: {} };
}

// Handed on to the parser below koa-bodyparser, whose types do not know it: a `__proto__` is an unknown member like any
// other, and no input is ever merged into an object of ours.
const FOR_PARSER = { onProtoPoisoning: 'ignore' };

const parse = bodyParser({
  ...FOR_PARSER,
  enableTypes: ['json'],
  detectJSON: () => true, // assertJson has looked
  strict: false, // a bare string or number is well-formed JSON; the doors say what is wrong with it
  jsonLimit: `${MAX_BODY_BYTES}b`,
  onerror: (error, ctx) => void bodies.set(ctx, { error: readingError(error) }),
});

export const readBody: Middleware = async (ctx, next) => {
  if (!hasBody(ctx)) return next();
  assertJson(ctx);
  const chunks: Buffer[] = [];
  ctx.req.on('data', (chunk: Buffer) => chunks.push(chunk));
  await parse(ctx, async () => {});
  if (!bodies.has(ctx)) bodies.set(ctx, checked(ctx.request.body, isUtf8(joined(chunks))));
  return next();
};

function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== '' || Number(ctx.get('content-length') || 0) > 0;
}

// Browsers cannot send JSON across origins without asking first, so this also keeps foreign pages out.
function assertJson(ctx: Context): void {
  if (Number(ctx.get('content-length') || 0) > MAX_BODY_BYTES) throw payloadTooLarge();
  const [type = '', ...parameters] = ctx.get('content-type').toLowerCase().split(';').map((part) => part.trim());
  if (type !== 'application/json') throw unsupportedMediaType('send the body with Content-Type: application/json');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) throw unsupportedMediaType('the body must be UTF-8');
  const encoding = ctx.get('content-encoding').toLowerCase();
  if (encoding !== '' && encoding !== 'identity') throw unsupportedMediaType('the body must not be compressed');
}

function readingError(error: unknown): HubError {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return status === 413 ? payloadTooLarge() : invalidInput('the body must be JSON');
}

function joined(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

// The parser reads bytes that are no UTF-8 as U+FFFD; text that is not what was sent must not be stored.
function checked(value: unknown, isWellEncoded: boolean): Body {
  if (!isWellEncoded) return { error: invalidInput('the body must be UTF-8') };
  if (value === '') return { error: invalidInput('the body must be JSON') };
  return isDeep(value) ? { error: invalidInput(`the body must not nest deeper than ${MAX_JSON_DEPTH} levels`) } : { value };
}

// The recursion ends where the depth does.
function isDeep(value: unknown, allowed = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return allowed === 0 || Object.values(value).some((item) => isDeep(item, allowed - 1));
}
