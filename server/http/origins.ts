// Rejects requests from foreign web pages. A page that uses DNS rebinding sends its own name in Host, a cross-origin
// page sends it in Origin. Programs send no Origin and address the hub by a known name.
import { isIP } from 'node:net';
import type { Context } from 'koa';
import { isLoopbackName, nameOf } from '../domain/addresses.ts';
import { forbidden } from '../domain/errors.ts';
import type { Settings } from '../domain/settings.ts';

type Allowed = {
  /** Whether Host may have this name. */
  host(name: string): boolean;
  /** Whether a page of this origin may send a request with this Host. */
  origin(origin: string, host: string | undefined): boolean;
};

/** Kubernetes sends the address of the pod as Host. The responses reveal nothing but a status. */
const PROBES: ReadonlySet<string> = new Set(['/health/live', '/health/ready']);

/** Throws when Host or Origin is not allowed. */
export function originGuard(
  settings: Pick<Settings, 'host' | 'allowed_hosts' | 'allowed_origins' | 'public_url' | 'tls_cert'>,
): (ctx: Context) => void {
  const allowed = allowedBy(settings);
  return (ctx) => {
    if (PROBES.has(ctx.path)) return;
    // ctx.host would trust X-Forwarded-Host, which a page cannot forge but any other client can.
    const { host, origin } = ctx.req.headers;
    if (host !== undefined && !allowed.host(nameOf(host))) {
      throw forbidden(`host ${host.slice(0, 100)} is not allowed; to allow it, start the hub with --allowed-host`);
    }
    if (origin !== undefined && !allowed.origin(origin, host)) {
      throw forbidden(
        `origin ${origin.slice(0, 100)} is not allowed; to allow it, start the hub with --allowed-origin`,
      );
    }
  };
}

function allowedBy({
  host: ownName,
  allowed_hosts: hosts,
  allowed_origins: origins,
  public_url,
  tls_cert,
}: Parameters<typeof originGuard>[0]): Allowed {
  const publicHost = public_url === undefined ? [] : [new URL(public_url).host];
  const names = new Set([ownName, ...publicHost, ...hosts].map(nameOf));
  // A hub that others can reach has names that only its operator knows. Until allowed_hosts is set, it accepts those
  // that no page can bind to its address: with TLS any name, since its certificate is not valid for the page's;
  // otherwise addresses, and names without a dot, which public DNS does not have.
  const isUnnamed = !isLoopbackName(nameOf(ownName)) && hosts.length === 0;
  const isUnbindable = (name: string): boolean =>
    isUnnamed && (tls_cert !== undefined || isIP(name) !== 0 || /^[a-z0-9_-]+$/.test(name));
  const isKnown = (name: string): boolean => names.has(name) || isLoopbackName(name);
  return {
    host: (name) => isKnown(name) || isUnbindable(name),
    origin: (origin, host) => {
      const name = hostOf(origin);
      return (
        origins.includes(origin) || (name !== undefined && (name === host?.toLowerCase() || isKnown(nameOf(name))))
      );
    },
  };
}

/** The host and port of an origin; undefined for `null` and anything that is not a URL. */
function hostOf(origin: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#@]+)$/.exec(origin.toLowerCase())?.[1];
}
