// The stream for `agenthub doctor`: first how the hub saw the request, then a few beats at fixed intervals. If they
// arrive at these intervals, no proxy buffers events.
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { Hub } from '../../hub.ts';
import { STREAM_HEADERS } from './stream-writer.ts';

const BEATS = 4;
const STEP_MS = 125;

/** Serves the request and returns true if this bearer announced a checkup. */
export function serveCheckup(hub: Hub, ctx: Context, bearer: string | undefined): boolean {
  if (bearer === undefined || !bearer.startsWith('check_') || !hub.checkups.take(bearer, hub.clock.now())) return false;
  ctx.respond = false;
  ctx.res.writeHead(200, STREAM_HEADERS);
  ctx.res.write(event('seen', seen(ctx)));
  beat(ctx.res);
  return true;
}

function seen(ctx: Context): object {
  const { host, 'x-forwarded-for': forwarded_for, 'x-forwarded-proto': forwarded_proto } = ctx.req.headers;
  return { address: ctx.ip, protocol: ctx.protocol, host, forwarded_for, forwarded_proto };
}

function beat(response: ServerResponse): void {
  let left = BEATS;
  response.on('error', () => response.destroy());
  const timer = setInterval(() => {
    response.write(event('beat', { left: --left }));
    if (left > 0) return;
    clearInterval(timer); // a slow reader closes later, and a write after `end` is an error
    response.end();
  }, STEP_MS);
  response.once('close', () => clearInterval(timer));
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
