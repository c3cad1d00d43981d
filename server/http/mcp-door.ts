// Carries MCP requests between Koa and the MCP room, which knows nothing of HTTP but statuses and headers.
import type { Middleware } from 'koa';
import type { Hub } from '../hub.ts';
import { answerMcp } from '../mcp/endpoint.ts';
import { authenticate } from './authenticate.ts';
import { bodyOf } from './body.ts';

export function mcpHandler(hub: Hub): Middleware {
  return async (ctx) => {
    const caller = await authenticate(hub, ctx);
    const body = bodyOf(ctx);
    if ('error' in body && body.error.code === 'payload_too_large') throw body.error;
    const answer = await answerMcp(hub, caller, { headers: ctx.headers, body });
    ctx.status = answer.status;
    if (answer.body === undefined) return void (ctx.body = null);
    ctx.type = 'application/json';
    ctx.body = answer.body;
  };
}
