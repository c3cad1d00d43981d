// Compresses large JSON for clients that accept gzip. The work runs outside of the event loop.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context, Middleware } from 'koa';
import { isClosed } from './limits/connection-limits.ts';

/** Smaller responses fit into one packet without compression. */
const WORTH_COMPRESSING_BYTES = 1_400;
/** A third faster than the default level, for 6% more bytes. */
const LEVEL = 3;

const compressible = new WeakSet<Context>();

/**
 * Call it only for responses without secrets, such as lists. If a response also contained text chosen by others, its
 * compressed size could reveal the secrets.
 */
export function allowCompression(ctx: Context): void {
  compressible.add(ctx);
}

/** Runs after the response has been counted and has its turn, so that queued responses cannot exhaust the memory. */
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
