// Serves the console out of its pack. Files under /assets/ carry their hash in the name and are kept for a year; every
// other address that a browser navigates to is the one page; what belongs to a program never gets a page for an answer.
import type { Context, Middleware } from 'koa';
import { type Encoding, type PackedFile, readPack } from './pack.ts';

const PAGE = '/index.html';
const OF_PROGRAMS =
  /^\/(api|mcp|events|health|hooks|metrics|\.well-known|register|assets|openapi\.json|llms\.txt)(\/|$)/;
const NOT_BUILT = 'The console is not built yet: run `npm run build`, or `npm run dev` while working on it.\n';

/**
 * The page runs its own scripts and styles and speaks to this hub alone; nothing may frame it or post a form anywhere.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function consoleFiles(pack: Uint8Array | undefined): Middleware {
  const files = pack && readPack(pack);
  return async (ctx, next) => {
    const path = consolePath(ctx);
    if (!path) return next();
    if (!files) return sayNotBuilt(ctx);
    const file = files.get(path);
    return file ? serve(ctx, file) : next();
  };
}

/** The path in the pack that this request is for; undefined when it is not the console's to answer. */
function consolePath(ctx: Context): string | undefined {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return undefined;
  if (ctx.path === '/') return PAGE;
  if (ctx.path.startsWith('/assets/')) return ctx.path;
  return isNavigation(ctx) ? PAGE : undefined;
}

/** A browser names text/html; a script's accept-everything gets the 404 that its mistyped path deserves. */
function isNavigation(ctx: Context): boolean {
  return !OF_PROGRAMS.test(ctx.path) && /\btext\/html\b/.test(ctx.get('accept'));
}

function sayNotBuilt(ctx: Context): void {
  ctx.status = 503;
  ctx.body = NOT_BUILT;
}

function serve(ctx: Context, file: PackedFile): void {
  const encoding = chooseEncoding(ctx, file);
  ctx.set({
    'Cache-Control': file.path === PAGE ? 'no-cache' : 'public, max-age=31536000, immutable',
    'Content-Security-Policy': POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  });
  ctx.vary('Accept-Encoding');
  ctx.status = 200;
  ctx.etag = `"${file.hash}-${encoding}"`;
  if (ctx.fresh) return void (ctx.status = 304);
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.type = file.type;
  ctx.body = file.bodies[encoding];
}

function chooseEncoding(ctx: Context, { bodies }: PackedFile): Encoding {
  const smallestFirst = ['br', 'gzip'] as const;
  return smallestFirst.find((encoding) => bodies[encoding] && ctx.acceptsEncodings(encoding)) ?? 'identity';
}
