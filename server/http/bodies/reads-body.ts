// Decides from the head of a request whether its body will be read: only by handlers of POST and PUT, and without a
// token only by those of public routes. All other bodies are dropped without copying them.
import type { IncomingMessage } from 'node:http';
import type Router from '@koa/router';
import { ROUTES } from '../routes.ts';

type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

const READING: ReadonlySet<string> = new Set(['POST', 'PUT']);

/** The routers' own patterns decide, so that no body is dropped which a handler would read. */
export function openReadsBody(routers: readonly Router[]): (head: Head) => boolean {
  const routes = routers
    .flatMap(({ stack }) => stack)
    .filter(({ methods }) => methods.some((method) => READING.has(method)));
  return ({ method = '', url = '', headers }) =>
    READING.has(method) &&
    routes.some(
      (route) =>
        (headers.authorization !== undefined || isPublic(route.path)) &&
        route.methods.includes(method) &&
        route.match(pathIn(url)),
    );
}

function pathIn(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

const PUBLIC: ReadonlySet<unknown> = new Set(
  ROUTES.filter(([, , { access }]) => access === 'public').map(([, path]) => path),
);

function isPublic(path: unknown): boolean {
  return PUBLIC.has(path);
}
