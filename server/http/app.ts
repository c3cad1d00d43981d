// The HTTP application: the middleware chain of every request, from top to bottom.
import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { invalidInput, methodNotAllowed, notFound } from '../domain/errors.ts';
import { MAX_QUERY_PARAMETERS } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import type { Catalogue } from '../mcp/catalogue.ts';
import { EVENT_MEMBERS } from '../operations/agents/client-hook.ts';
import type { BodySize } from './bodies/collector.ts';
import { type Bodies, hookBody, openBodies } from './bodies/read-body.ts';
import { openReadsBody } from './bodies/reads-body.ts';
import { compressJson } from './compression.ts';
import { consoleFiles } from './console/files.ts';
import { llmsTextHandler } from './documents/llms-text.ts';
import { openApiHandler } from './documents/openapi.ts';
import { answerErrors } from './errors.ts';
import { exemptLogins } from './limits/exempt-logins.ts';
import { type RateLimits, rateLimits } from './limits/rate-limits.ts';
import { openResponseMemory } from './limits/response-memory.ts';
import { openFiguresConcurrency } from './limits/user-concurrency.ts';
import { logAbort } from './log-abort.ts';
import { type McpHandler, mcpHandler, rejectOAuth } from './mcp.ts';
import { metricsHandler } from './metrics.ts';
import type { Open } from './metrics-table.ts';
import { originGuard } from './origins.ts';
import { logRequests } from './request-log.ts';
import { type Memory, restHandler } from './rest.ts';
import { IN_QUERY, ROUTES } from './routes.ts';
import { type EventStreams, eventStreams } from './streams/event-stream.ts';

export type App = {
  koa: Koa;
  streams: EventStreams;
  mcp: McpHandler;
  bodies: Bodies;
  limits: RateLimits;
  /** Whether a handler reads the body of this request. */
  readsBody(request: IncomingMessage): boolean;
};

/** `catalogue` replaces what the hub offers at /mcp. */
export function createApp(hub: Hub, consolePack: Uint8Array | undefined, catalogue?: Catalogue): App {
  const koa = new Koa({ proxy: hub.settings.trust_proxy > 0, maxIpsCount: hub.settings.trust_proxy });
  const bodies = openBodies(hub.memoryShare);
  const responseMemory = openResponseMemory(hub.metrics, hub.memoryShare);
  const streams = eventStreams(hub, responseMemory);
  Object.assign(hub.openStreams, { count: streams.count, end: streams.endOpen });
  const mcp = mcpHandler(hub, bodies, responseMemory, catalogue);
  const limits = rateLimits(hub, exemptLogins(hub, bodies));
  koa.use(logRequests(hub));
  koa.use(answerErrors(hub));
  koa.use(compressJson);
  koa.use(responseMemory.count);
  koa.use(rejectUnknown);
  koa.use(checks([assertPath, assertQuery, forbidSniffing, originGuard(hub.settings)]));
  koa.use(consoleFiles(consolePack));
  koa.use(rejectOAuth);
  const agents = agentRouter(streams, mcp);
  const rest = restRouter(hub, { bodies, responseMemory }, limits, {
    streams: streams.count,
    waits: mcp.count,
    bodyBytes: bodies.bytes,
  });
  koa.use(resumeStreams(mcp));
  koa.use(agents.routes());
  koa.use(rest.routes());
  koa.use(rest.allowedMethods());
  koa.on('error', (error: unknown, ctx?: Context) => logAbort(hub, error, ctx));
  return { koa, streams, mcp, bodies, limits, readsBody: openReadsBody([agents, rest], BODY_SIZES) };
}

// GET /mcp exists only for a client that resumes a stream, so it is no route, and 405 for all others.
function resumeStreams({ resume }: McpHandler): Middleware {
  return (ctx, next) =>
    ctx.method === 'GET' && ctx.path === '/mcp' && ctx.get('Last-Event-ID') !== '' ? resume(ctx, next) : next();
}

// A separate router: a router compares a path with every route, which took 4% of a send with all of REST in it.
function agentRouter(streams: EventStreams, mcp: McpHandler): Router {
  const router = new Router({ sensitive: true });
  router.post('/mcp', mcp.handle);
  router.get(STREAMS, streams.handle);
  // The router routes HEAD to a GET handler, and a HEAD request would wait for the end of the stream.
  for (const layer of router.stack) if (isStream(layer.path)) layer.methods = ['GET'];
  return router;
}

const STREAMS = ['/events', '/events/:alias'];
const isStream = (path: unknown): boolean => STREAMS.some((stream) => stream === path);

function restRouter(hub: Hub, memory: Memory, limits: RateLimits, open: Open): Router {
  const router = new Router({ sensitive: true });
  router.get('/metrics', metricsHandler(hub, open));
  router.get('/openapi.json', openApiHandler(hub.version, hub.settings.public_url));
  router.get('/llms.txt', llmsTextHandler(hub.settings));
  const figures = openFiguresConcurrency();
  for (const [method, path, operation] of ROUTES) {
    const limit = LIMITED[path];
    const handlers = [
      ...(limit === undefined ? [] : [limits[limit]]),
      restHandler(hub, memory, operation, {
        inQuery: IN_QUERY[path],
        size: BODY_SIZES[path],
        concurrency: FIGURES.has(path) ? figures : undefined,
      }),
    ];
    router.register(path, [method], handlers);
  }
  return router;
}

const LIMITED: Readonly<Record<string, keyof Pick<RateLimits, 'register' | 'login'>>> = {
  '/api/auth/register': 'register',
  '/api/auth/login': 'login',
};

const FIGURES: ReadonlySet<string> = new Set(['/api/stats/figures', '/api/stats/agents']);

const BODY_SIZES: Readonly<Record<string, BodySize>> = {
  '/hooks/:client': hookBody(EVENT_MEMBERS),
};

/** Combines synchronous checks into one middleware, because each middleware costs a promise. */
function checks(all: readonly ((ctx: Context) => void)[]): Middleware {
  return (ctx, next) => {
    for (const check of all) check(ctx);
    return next();
  };
}

// Proxy requests (`GET http://…`) and server-wide requests (`OPTIONS *`) have no path.
function assertPath(ctx: Context): void {
  if (!ctx.url.startsWith('/')) throw invalidInput('the request must name a path, such as /health');
  if (!isDecodable(ctx.path)) throw invalidInput('the path must be percent-encoded UTF-8');
}

// Koa parses a repeated parameter in quadratic time.
function assertQuery({ querystring }: Context): void {
  if (querystring.split('&', MAX_QUERY_PARAMETERS + 1).length > MAX_QUERY_PARAMETERS) {
    throw invalidInput(`the query must have at most ${MAX_QUERY_PARAMETERS} parameters`);
  }
}

function isDecodable(path: string): boolean {
  try {
    return !path.includes('%') || decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}

function forbidSniffing(ctx: Context): void {
  ctx.set('X-Content-Type-Options', 'nosniff');
}

// Handles unmatched requests: unknown paths, and paths with other methods (the router has set Allow).
const rejectUnknown: Middleware = async (ctx, next) => {
  await next();
  if (ctx.body !== undefined || ctx.respond === false) return;
  if (ctx.status === 404) throw notFound(`no route for ${ctx.method} ${ctx.path}`);
  if (ctx.status === 405 || ctx.status === 501)
    throw methodNotAllowed(ctx.response.get('Allow') || 'GET, POST, PUT or DELETE');
};
