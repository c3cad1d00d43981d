// GET /metrics for Prometheus: available to local clients that use a loopback name, and to clients with the configured
// token.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { isLoopback, isLoopbackName, nameOf } from '../domain/addresses.ts';
import { forbidden, notFound, unauthorized } from '../domain/errors.ts';
import { yieldToConnections } from '../domain/time/turn-share.ts';
import type { Hub } from '../hub.ts';
import { bearerOf } from './authenticate.ts';
import { isForwarded } from './forwarded.ts';
import type { Open } from './metrics-table.ts';
import { metricsText } from './metrics-text.ts';

export function metricsHandler(hub: Hub, open: Open): Middleware {
  const text = shareRuns(metricsText(hub, open));
  return async (ctx) => {
    assertMayWatch(hub, ctx);
    ctx.type = 'text/plain; version=0.0.4; charset=utf-8';
    ctx.body = await text();
  };
}

// A run takes 2 ms and any local process may request it, so concurrent requests share one run.
function shareRuns<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let next: Promise<Result> | undefined;
  return () => (next ??= new Promise<void>(yieldToConnections).then(run).finally(() => (next = undefined)));
}

function assertMayWatch(
  { settings: { metrics, metrics_token: token, trust_proxy: proxies } }: Hub,
  ctx: Context,
): void {
  if (metrics === 'off') throw notFound('metrics are disabled');
  if (metrics === 'loopback' && isFromThisMachine(ctx, proxies) && hasLoopbackName(ctx)) return;
  const bearer = bearerOf(ctx);
  if (bearer !== undefined && token !== undefined && isSame(bearer, token)) return;
  if (bearer !== undefined) throw unauthorized('the bearer token does not match the configured metrics_token');
  throw token === undefined
    ? forbidden(ONLY_HERE)
    : unauthorized(
        'metrics require Authorization: Bearer with the metrics_token, except from the hub machine under a name such as 127.0.0.1',
      );
}

const ONLY_HERE =
  'metrics are only available from the hub machine, under a name such as 127.0.0.1; for remote access, configure metrics_token and send it as the bearer token';

// A local proxy is not the client. Its X-Forwarded-For counts only if proxies are configured, and then every address
// must be loopback, because a client can forge the first ones.
function isFromThisMachine(ctx: Context, proxies: number): boolean {
  if (!isLoopback(ctx.socket.remoteAddress ?? '')) return false;
  const forwarded = ctx.get('x-forwarded-for');
  if (forwarded !== '') return proxies > 0 && forwarded.split(',').every((address) => isLoopback(address.trim()));
  return !isForwarded(ctx.headers);
}

// With DNS rebinding, a web page reaches this machine from a local browser, but under its own name.
function hasLoopbackName({
  req: {
    headers: { host },
  },
}: Context): boolean {
  return host !== undefined && isLoopbackName(nameOf(host));
}

function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', wanted, 'buffer'));
}
