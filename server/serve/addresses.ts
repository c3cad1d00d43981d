// The addresses of a hub, for programs on this machine and for other clients.
import { networkInterfaces } from 'node:os';
import type { Config } from '../config/keys.ts';

type Listening = Pick<Config, 'host' | 'port' | 'tls_cert'>;

/** The URL for programs on this machine. */
export function localUrl(config: Listening): string {
  const standIn = { '0.0.0.0': '127.0.0.1', '::': '::1' }[config.host];
  return urlOf(config, standIn ?? config.host);
}

/** Every URL under which the hub listens. A wildcard address cannot be opened, so it is expanded. */
export function clickableUrls(config: Listening): string[] {
  const names = isWildcard(config.host) ? [...reachableAddresses(), 'localhost'] : [config.host];
  return names.map((name) => urlOf(config, name));
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function urlOf({ port, tls_cert }: Listening, name: string): string {
  return `${tls_cert === undefined ? 'http' : 'https'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function reachableAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address);
}

/** What to do if the system does not allow this port. */
export const PRIVILEGED_PORT =
  'ports below 1024 need CAP_NET_BIND_SERVICE (agenthub systemd print --port …), or choose a higher one with --port';
