// Reads a request body: JSON in UTF-8, at most 1 MiB (a hook's 8), not nested without end. What cannot be read is kept as the error
// to answer with, since REST and MCP word it differently.
import { isUtf8 } from 'node:buffer';
import bodyParser from 'koa-bodyparser';
import type { Context, Middleware } from 'koa';
import { HubError, invalidInput, payloadTooLarge, unsupportedMediaType } from '../domain/errors.ts';
import { MAX_BODY_BYTES, MAX_HOOK_BODY_BYTES, MAX_JSON_DEPTH } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import { authenticate } from './authenticate.ts';

/** What came in the body: a JSON value, or the error that says why there is none. */
export type Body = { value: unknown } | { error: HubError };

const bodies = new WeakMap<Context, Body>();

export function bodyOf(ctx: Context): Body {
  return bodies.get(ctx) ?? { value: {} };
}

// Handed on to the parser below koa-bodyparser, whose types do not know it: a `__proto__` is an unknown member like any
// other, and no input is ever merged into an object of ours.
const FOR_PARSER = { onProtoPoisoning: 'ignore' };

const parserUpTo = (bytes: number) =>
  bodyParser({
    ...FOR_PARSER,
    enableTypes: ['json'],
    detectJSON: () => true, // assertJson has looked
    strict: false, // a bare string or number is well-formed JSON; the doors say what is wrong with it
    jsonLimit: `${bytes}b`,
    onerror: (error, ctx) => void bodies.set(ctx, { error: readingError(error, bytes) }),
  });

type Reading = { limit: number; parse: Middleware };

const USUAL: Reading = { limit: MAX_BODY_BYTES, parse: parserUpTo(MAX_BODY_BYTES) };
const OF_HOOKS: Reading = { limit: MAX_HOOK_BODY_BYTES, parse: parserUpTo(MAX_HOOK_BODY_BYTES) };

export function readBody(hub: Hub): Middleware {
  return async (ctx, next) => {
    if (!hasBody(ctx)) return next();
    const { limit, parse } = await readingOf(hub, ctx);
    assertJson(ctx, limit);
    const chunks: Buffer[] = [];
    ctx.req.on('data', (chunk: Buffer) => chunks.push(chunk));
    await parse(ctx, async () => {});
    if (!bodies.has(ctx)) bodies.set(ctx, checked(ctx.request.body, isUtf8(joined(chunks))));
    return next();
  };
}

/** A stranger may not have the hub hold as much as an agent's hook may. */
async function readingOf(hub: Hub, ctx: Context): Promise<Reading> {
  if (ctx.path !== '/hooks/claude-code') return USUAL;
  await authenticate(hub, ctx);
  return OF_HOOKS;
}

function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== '' || Number(ctx.get('content-length') || 0) > 0;
}

// Browsers cannot send JSON across origins without asking first, so this also keeps foreign pages out.
function assertJson(ctx: Context, limit: number): void {
  if (Number(ctx.get('content-length') || 0) > limit) throw tooLarge(limit);
  const [type = '', ...parameters] = ctx.get('content-type').toLowerCase().split(';').map((part) => part.trim());
  if (type !== 'application/json') throw unsupportedMediaType('send the body with Content-Type: application/json');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) throw unsupportedMediaType('the body must be UTF-8');
  const encoding = ctx.get('content-encoding').toLowerCase();
  if (encoding !== '' && encoding !== 'identity') throw unsupportedMediaType('the body must not be compressed');
}

function tooLarge(limit: number): HubError {
  return payloadTooLarge(limit / MAX_BODY_BYTES);
}

function readingError(error: unknown, limit: number): HubError {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return status === 413 ? tooLarge(limit) : invalidInput('the body must be JSON');
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
