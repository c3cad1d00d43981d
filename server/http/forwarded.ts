// Detects headers that show a proxy forwarded the request: the client may be remote even if the socket is local.
import type { IncomingHttpHeaders } from 'node:http';

// Proxies, load balancers and CDNs use different names. A direct client sends none of these.
const FORWARDING_HEADERS = [
  /forwarded/, // forwarded, x-forwarded-*, x-original-forwarded-for, x-vercel-forwarded-for
  /(client|user|connecting)-?ip$/,
  /^(x-)?(real-ip|remote-(addr|ip))$/,
  /^x-original-/,
  /^(x-)?(scheme|host|url-scheme)$/,
  /^(via|cdn-loop|true-client|proxy-client|front-end-https|proxy-connection)/,
  /^x-(nf-client-connection|proxy)/,
  /^(cf|x-arr|x-amzn|x-amz-cf|x-azure|x-fd|x-envoy|x-cloud-trace|fly|fastly|x-vercel|x-appengine|wl-proxy|tailscale|x-ngrok|ngrok)-/,
];

export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => name !== 'host' && isForwarding(name.replaceAll('_', '-')));
}

function isForwarding(name: string): boolean {
  return FORWARDING_HEADERS.some((pattern) => pattern.test(name));
}
