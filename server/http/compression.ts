// Compresses large JSON for clients that accept gzip. The work runs outside of the event loop.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context, Middleware } from 'koa';
import { isClosed } from './limits/connection-limits.ts';

/** Smaller responses fit into one packet as they are. */
const WORTH_COMPRESSING_BYTES = 1_400;
/** A third faster than the default level, for 6 % more bytes. */
const LEVEL = 3;

const compressible = new WeakSet<Context>();

/**
 * Only for responses without secrets, as all lists are: next to text that somebody else chose, the size of a compressed
 * response would reveal them.
 */
export function allowCompression(ctx: Context): void {
  compressible.add(ctx);
}

/** Runs after the response is counted and has its turn, so that clients cannot queue more of them than memory holds. */
export const compressJson: Middleware = async (ctx, next) => {
  await next();
  const { body } = ctx;
  if (!compressible.has(ctx) || typeof body !== 'string' || body.length < WORTH_COMPRESSING_BYTES) return;
  ctx.vary('Accept-Encoding');
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return;
  const compressed = await promisify(gzip)(body, { level: LEVEL });
  if (isClosed(ctx.res)) return;
  ctx.body = compressed;
  ctx.set('Content-Encoding', 'gzip');
};
