// Classifies network addresses and host names: which mean this machine, and under which key requests of one client are
// counted. Text that is not an address counts as one unknown client, so that headers cannot choose the size of a key.
import { isIPv4, isIPv6 } from 'node:net';

/** True for 127.0.0.0/8, `::1`, and IPv4-mapped IPv6 forms of 127.0.0.0/8. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);
}

export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name);
}

/** `Hub.example:4747` → `hub.example`, `[::1]:4747` → `::1`. */
export function nameOf(host: string): string {
  const [, name = host] = /^\[([^\]]*)\](?::\d*)?$/.exec(host) ?? /^([^:]*):\d*$/.exec(host) ?? [];
  return name.toLowerCase().replace(/\.$/, '');
}

export type Reachability = {
  host: string;
  public_url: string | undefined;
  trust_proxy: number;
  allowed_hosts: readonly string[];
  allowed_origins: readonly string[];
};

/** Whether someone other than the person who started the hub could be the first to register. */
export function isOpenToOthers(settings: Reachability): boolean {
  const { host, public_url, trust_proxy, allowed_hosts, allowed_origins } = settings;
  const published = public_url === undefined ? [] : [new URL(public_url).host];
  const pages = allowed_origins.map((origin) => origin.replace(/^[^/]*\/\//, '')); // of others, in this person's browser
  return (
    trust_proxy > 0 || ![host, ...published, ...allowed_hosts, ...pages].every((name) => isLoopbackName(nameOf(name)))
  );
}

export type Transport = Pick<Reachability, 'host' | 'trust_proxy'> & { tls_cert: string | undefined };

/** Whether clients on other machines reach the hub without encryption, as far as the configuration shows. */
export function isUnencrypted({ host, trust_proxy, tls_cert }: Transport): boolean {
  return tls_cert === undefined && trust_proxy === 0 && !isLoopbackName(nameOf(host));
}

/** Whether the address that clients are given has no encryption. What is sent to this machine itself needs none. */
export function isPublishedUnencrypted({ public_url }: Pick<Reachability, 'public_url'>): boolean {
  if (public_url === undefined) return false;
  const { protocol, hostname } = new URL(public_url);
  return protocol !== 'https:' && !isLoopbackName(nameOf(hostname));
}

/** Whether only a reverse proxy can encrypt the connections of a hub that listens on more than loopback. */
export function isEncryptedByProxy({ host, trust_proxy, tls_cert }: Transport): boolean {
  return tls_cert === undefined && trust_proxy > 0 && !isLoopbackName(nameOf(host));
}

export const UNKNOWN_CLIENT = 'unknown';

/** An IPv4 address as is; an IPv6 address as its /64, the block one subscriber gets. */
export function clientKey(address: string): string {
  const [bare = ''] = withoutPort(address).split('%');
  if (isIPv4(bare)) return bare;
  return isIPv6(bare) ? keyOfGroups(groupsOf(bare)) : UNKNOWN_CLIENT;
}

// Some proxies append the port of their client.
function withoutPort(address: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address;
}

function keyOfGroups(groups: readonly string[]): string {
  const [high, low] = groups.slice(6).map((group) => parseInt(group, 16));
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::/64`;
  return [high, low].flatMap((group = 0) => [group >> 8, group & 255]).join('.');
}

/** All eight groups without leading zeros. URL writes an embedded IPv4 address as two groups. */
function groupsOf(address: string): string[] {
  const shortened = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [left = [], right = []] = shortened.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
}
