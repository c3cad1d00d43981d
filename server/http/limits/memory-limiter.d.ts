// The package has no types for its parts.
declare module 'koa-ratelimit/limiter/memory.js' {
  export default class MemoryLimiter {
    constructor(options: { id: string; db: Map<string, unknown>; max: number; duration: number });
    /** Counts a request before it returns. */
    get(): Promise<unknown>;
  }
}
