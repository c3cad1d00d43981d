// The addresses of a hub: where it answers on this machine, and where others reach it.
import { networkInterfaces } from 'node:os';
import type { Config } from '../config/keys.ts';

type Listening = Pick<Config, 'host' | 'port' | 'tls_cert'>;

/** Where a program on this machine reaches it. */
export function localUrl(config: Listening): string {
  const standIn = { '0.0.0.0': '127.0.0.1', '::': '::1' }[config.host];
  return urlOf(config, standIn ?? config.host);
}

/** Every address under which it listens. One that stands for all of them cannot be clicked. */
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
