// Every address of the console, and how a filter is written into one.
import { withQuery } from './request.ts';

export const PATHS = { live: '/', connect: '/connect', signIn: '/sign-in', signUp: '/sign-up' } as const;

export type LiveFilter = { agents?: string | undefined; tasks?: string | undefined };

export function livePath({ agents, tasks }: LiveFilter = {}): string {
  return withQuery(PATHS.live, { agents, tasks });
}

/** The sign-in page that leads back to where the person was going. */
export function signInPath(path: string, from: string | undefined): string {
  return withQuery(path, { next: from === PATHS.live ? undefined : from });
}

/** Where to go after signing in: a path of this console and of nothing else. */
export function nextPath(wanted: string | undefined): string {
  return wanted !== undefined && /^\/(?![/\\])/.test(wanted) ? wanted : PATHS.live;
}
