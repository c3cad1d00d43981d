// Addresses that are not on the public Internet: of this machine, of private networks, and reserved ones. An IPv6
// address that contains an IPv4 address counts as private.
import { BlockList, isIPv4 } from 'node:net';

const PRIVATE_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local, with the metadata of cloud machines
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4],
] as const;

/** Public IPv6 addresses are in this block; these parts of it are not public. */
const PUBLIC_IPV6 = ['2000::', 3] as const;
const PRIVATE_IPV6 = [
  ['2001::', 23], // protocol assignments, with Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
] as const;

const privateIPv4 = new BlockList();
for (const [net, prefix] of PRIVATE_IPV4) privateIPv4.addSubnet(net, prefix, 'ipv4');
const publicIPv6 = new BlockList();
publicIPv6.addSubnet(...PUBLIC_IPV6, 'ipv6');
const privateIPv6 = new BlockList();
for (const [net, prefix] of PRIVATE_IPV6) privateIPv6.addSubnet(net, prefix, 'ipv6');

/** True for every text that is not a public IP address. */
export function isPrivateAddress(address: string): boolean {
  if (isIPv4(address)) return privateIPv4.check(address, 'ipv4');
  const [bare = ''] = address.split('%');
  return !publicIPv6.check(bare, 'ipv6') || privateIPv6.check(bare, 'ipv6');
}
