// Serves the console from its pack. Files under /assets/ have a hash in their name and are cached for a year. Any other
// path that a browser navigates to gets the single page; API paths never do.
import type { Context, Middleware } from 'koa';
import { type Encoding, type PackedFile, readPack } from './pack.ts';

const PAGE = '/index.html';
const API_PATHS = /^\/(api|mcp|events|health|hooks|metrics|\.well-known|register|assets|openapi\.json|llms\.txt)(\/|$)/;
const NOT_BUILT = 'The console is not built yet: run `npm run build`, or `npm run dev` while working on it.\n';

/** The page runs only its own scripts and styles and connects only to this hub; frames and form posts are forbidden. */
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
    if (!files) return sendNotBuilt(ctx);
    const file = files.get(path);
    return file ? serve(ctx, file) : next();
  };
}

/** The requested path in the pack; undefined when the request is not for the console. */
function consolePath(ctx: Context): string | undefined {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return undefined;
  if (ctx.path === '/') return PAGE;
  if (ctx.path.startsWith('/assets/')) return ctx.path;
  return isNavigation(ctx) ? PAGE : undefined;
}

/** A browser accepts text/html explicitly; a client that accepts anything gets a 404 for a mistyped path. */
function isNavigation(ctx: Context): boolean {
  return !API_PATHS.test(ctx.path) && /\btext\/html\b/.test(ctx.get('accept'));
}

function sendNotBuilt(ctx: Context): void {
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
    // A link in a text must not make the browser look up its host before somebody opens it.
    'X-DNS-Prefetch-Control': 'off',
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
