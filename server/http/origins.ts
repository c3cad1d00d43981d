// Keeps foreign web pages out: a page whose name was made to point at this machine (DNS rebinding) comes with its own
// name in Host, and one that calls across comes with it in Origin. Programs send no Origin and name the hub by its
// address.
import type { Context } from 'koa';
import { isLoopbackName, nameOf } from '../domain/addresses.ts';
import { forbidden } from '../domain/errors.ts';
import type { Settings } from '../domain/settings.ts';

type Allowed = {
  /** Whether this name may stand in Host. */
  host(name: string): boolean;
  /** Whether a page of this origin may call, where the request came under this Host. */
  origin(origin: string, host: string | undefined): boolean;
};

/** Throws for a request that comes under a name, or from a page, that is not of this hub. */
export function originGuard(
  settings: Pick<Settings, 'host' | 'allowed_hosts' | 'allowed_origins' | 'public_url'>,
): (ctx: Context) => void {
  const allowed = allowedBy(settings);
  return (ctx) => {
    // ctx.host would believe a proxy's X-Forwarded-Host, which a page cannot forge but anybody else can.
    const { host, origin } = ctx.req.headers;
    if (host !== undefined && !allowed.host(nameOf(host))) {
      throw forbidden(
        `this hub does not go by the name ${host.slice(0, 100)}; if it should, start it with --allowed-host`,
      );
    }
    if (origin !== undefined && !allowed.origin(origin, host)) {
      throw forbidden(
        `pages of ${origin.slice(0, 100)} may not call this hub; if they should, start it with --allowed-origin`,
      );
    }
  };
}

function allowedBy({
  host: ownName,
  allowed_hosts: hosts,
  allowed_origins: origins,
  public_url,
}: Parameters<typeof originGuard>[0]): Allowed {
  const publicHost = public_url === undefined ? [] : [new URL(public_url).host];
  const names = new Set([ownName, ...publicHost, ...hosts].map(nameOf));
  // A hub for others is reached under names that only its operator knows: it takes any until it is told which.
  const takesAnyHost = !isLoopbackName(nameOf(ownName)) && hosts.length === 0;
  const isKnown = (name: string): boolean => names.has(name) || isLoopbackName(name);
  return {
    host: (name) => takesAnyHost || isKnown(name),
    origin: (origin, host) => {
      const name = hostOf(origin);
      return (
        origins.includes(origin) || (name !== undefined && (name === host?.toLowerCase() || isKnown(nameOf(name))))
      );
    },
  };
}

/** The host and port of an origin; undefined for `null` and whatever else is no address. */
function hostOf(origin: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#@]+)$/.exec(origin.toLowerCase())?.[1];
}
