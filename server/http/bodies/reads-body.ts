// Decides from the head of a request whether its body will be read: only by handlers of POST and PUT, without a token
// only by those of public routes, and not if it is longer than they accept. The rest is dropped without copying it.
import type { IncomingMessage } from 'node:http';
import type Router from '@koa/router';
import { ROUTES } from '../routes.ts';
import { announcedBytes } from './announced.ts';
import type { BodySize } from './collector.ts';
import { PUBLIC_BODY, USUAL_BODY } from './read-body.ts';

type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

const READING: ReadonlySet<string> = new Set(['POST', 'PUT']);

/**
 * The routers' own patterns decide, so that no body is dropped which a handler would read. `sizes` are those of the
 * routes that read more than usual, by their path.
 */
export function openReadsBody(
  routers: readonly Router[],
  sizes: Readonly<Record<string, BodySize>>,
): (head: Head) => boolean {
  const routes = routers
    .flatMap(({ stack }) => stack)
    .filter(({ methods }) => methods.some((method) => READING.has(method)));
  return ({ method = '', url = '', headers }) =>
    READING.has(method) &&
    routes.some(
      (route) =>
        (headers.authorization !== undefined || isPublic(route.path)) &&
        announcedBytes({ headers }) <= maxBytes(route.path, sizes) &&
        route.methods.includes(method) &&
        route.match(pathIn(url)),
    );
}

function maxBytes(path: unknown, sizes: Readonly<Record<string, BodySize>>): number {
  return (isPublic(path) ? PUBLIC_BODY : (sizes[String(path)] ?? USUAL_BODY)).bytes;
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
