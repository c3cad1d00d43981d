// Sends JSON as text. Given an object, Koa checks whether it is a `Response`, for which Node loads `fetch`, HTTP/2 and
// TLS: 5 MB, and 30 ms at the first response.
import type { Context } from 'koa';

/** The body of a refused request. */
export function answerRefusal(
  ctx: Context,
  refusal: { error: string; message: string; error_description?: string },
): void {
  noteError(ctx, refusal.error);
  answerJson(ctx, refusal);
}

export function answerJson(ctx: Context, value: object): void {
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(value);
}

/** Notes the error code of a request for the log. Over MCP, a refused request can have status 200. */
export function noteError(ctx: Context, code: string | number): void {
  ctx.state['error'] = code;
}

export function errorOf(ctx: Context): string | number | undefined {
  return ctx.state['error'];
}
