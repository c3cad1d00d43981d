// The handler of /mcp: connects Koa to server/mcp, which knows nothing of HTTP except statuses and headers.
import type { Context, Middleware } from 'koa';
import type { Caller } from '../domain/accounts/caller.ts';
import type { Hub } from '../hub.ts';
import type { Catalogue } from '../mcp/catalogue.ts';
import { type Answer, answerMcp, answerResumed } from '../mcp/endpoint.ts';
import { authenticate, authenticateAgain, senderOf } from './authenticate.ts';
import { type Bodies, USUAL_BODY } from './bodies/read-body.ts';
import { answerRefusal, noteError } from './json-response.ts';
import { openLateResponses } from './late-responses.ts';
import { type ResponseMemory, recipientOf } from './limits/response-memory.ts';
import { requestIdOf } from './request-log.ts';

export type McpHandler = {
  handle: Middleware;
  /** GET with Last-Event-ID, with which a client resumes a stream. */
  resume: Middleware;
  /** Ends every wait with the current state, and every subscription. */
  endAll(): void;
  /** The number of open calls and subscriptions. */
  count(): number;
};

const KEEP_ALIVE_SECONDS = 15;

export function mcpHandler(
  hub: Hub,
  bodies: Bodies,
  responseMemory: ResponseMemory,
  catalogue: Catalogue | undefined,
): McpHandler {
  const lateResponses = openLateResponses(
    hub,
    responseMemory,
    Math.min(KEEP_ALIVE_SECONDS, hub.settings.heartbeat_seconds),
  );
  const respond = (ctx: Context, caller: Caller, answer: Answer): void => {
    if (answer.later === undefined) respondNow(ctx, answer);
    else lateResponses.begin(ctx, caller, answer.later);
  };
  return {
    handle: async (ctx) => {
      const sender = await authenticate(hub, ctx);
      const body = await bodies.read(ctx, senderOf(sender), USUAL_BODY);
      const caller = await authenticateAgain(hub, ctx, sender);
      const recipient = recipientOf(ctx, responseMemory);
      const request = { id: requestIdOf(ctx), headers: ctx.headers, body, recipient };
      respond(ctx, caller, await answerMcp(hub, caller, request, catalogue));
    },
    resume: async (ctx) => {
      const caller = await authenticate(hub, ctx);
      const request = {
        id: requestIdOf(ctx),
        headers: ctx.headers,
        recipient: recipientOf(ctx, responseMemory),
        lastEventId: ctx.get('Last-Event-ID'),
      };
      respond(ctx, caller, await answerResumed(hub, caller, request, catalogue));
    },
    endAll: lateResponses.endAll,
    count: lateResponses.count,
  };
}

// Sets the status last: Koa changes it to 204 for an empty body.
function respondNow(ctx: Context, { status, body, error }: Answer): void {
  if (error !== undefined) noteError(ctx, error);
  if (body !== undefined) ctx.type = 'application/json';
  ctx.body = body ?? null;
  ctx.status = status;
}

const NO_OAUTH = 'this hub does not support OAuth; send Authorization: Bearer ntok_… with every request to /mcp';

/** MCP clients probe these paths for OAuth and show the user the response; `error_description` is its OAuth field. */
export const rejectOAuth: Middleware = (ctx, next) => {
  if (ctx.path !== '/register' && !/(^|\/)\.well-known(\/|$)/.test(ctx.path)) return next();
  ctx.status = 404;
  answerRefusal(ctx, { error: 'not_found', message: NO_OAUTH, error_description: NO_OAUTH });
};
