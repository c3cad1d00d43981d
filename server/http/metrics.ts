// GET /metrics for Prometheus: served on this machine under a loopback name, and to clients that send the configured
// token.
import { hash, timingSafeEqual } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context, Middleware } from 'koa';
import { isLoopback, isLoopbackName, nameOf } from '../domain/addresses.ts';
import { forbidden, notFound, unauthorized } from '../domain/errors.ts';
import type { Hub } from '../hub.ts';
import { bearerOf } from './authenticate.ts';
import { isForwarded } from './forwarded.ts';
import { metricsText, type Open } from './metrics-text.ts';

export function metricsHandler(hub: Hub, open: Open): Middleware {
  const text = shareRuns(metricsText(hub, open));
  return async (ctx) => {
    assertMayWatch(hub, ctx);
    ctx.type = 'text/plain; version=0.0.4; charset=utf-8';
    ctx.body = await text();
  };
}

// A run takes 2 ms and any local process may send requests, so concurrent requests share one run.
function shareRuns<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let next: Promise<Result> | undefined;
  return () =>
    (next ??= nextTurn()
      .then(run)
      .finally(() => (next = undefined)));
}

function assertMayWatch(
  { settings: { metrics, metrics_token: token, trust_proxy: proxies } }: Hub,
  ctx: Context,
): void {
  if (metrics === 'off') throw notFound('metrics are turned off');
  if (metrics === 'loopback' && isFromThisMachine(ctx, proxies) && hasLoopbackName(ctx)) return;
  const bearer = bearerOf(ctx);
  if (bearer !== undefined && token !== undefined && isSame(bearer, token)) return;
  if (bearer !== undefined) throw unauthorized('the bearer is not the metrics_token of the configuration');
  throw token === undefined
    ? forbidden(ONLY_HERE)
    : unauthorized('metrics from elsewhere need Authorization: Bearer with the metrics_token');
}

const ONLY_HERE =
  'metrics are for the machine of the hub, under a name such as 127.0.0.1; otherwise configure metrics_token and send it as bearer';

// A proxy on this machine is not the one who asks. What it forwards counts only where proxies are expected, and then
// every address of the chain: a stranger may have put the first ones there.
function isFromThisMachine(ctx: Context, proxies: number): boolean {
  if (!isLoopback(ctx.socket.remoteAddress ?? '')) return false;
  const forwarded = ctx.get('x-forwarded-for');
  if (forwarded !== '') return proxies > 0 && forwarded.split(',').every((address) => isLoopback(address.trim()));
  return !isForwarded(ctx.headers);
}

// A web page can have its own name lead to this machine (DNS rebinding): it comes from here, and under its own name.
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
