// What `serve` says once it listens: on a terminal a banner for a person, elsewhere one log line each.
import type { Log } from '../domain/log.ts';
import { FOR_STRANGERS } from '../domain/quotas.ts';
import type { Settings } from '../domain/settings.ts';

export type Listening = {
  version: string;
  /** Where it listens. */
  urls: readonly string[];
  publicUrl: string | undefined;
  data: string;
  /** No user yet. */
  isEmpty: boolean;
  setupToken: string | undefined;
};

export function banner(listening: Listening): string {
  const { version, data, urls, publicUrl } = listening;
  const [console, ...others] = [...(publicUrl === undefined ? [] : [publicUrl]), ...urls].map((url) => `${url}/`);
  return `
  agenthub ${version}

  Console   ${[console, ...others].join('\n            ')}
  MCP       ${console}mcp
  Data      ${data}

  ${firstStep(listening)}
  Ctrl-C stops it.

`;
}

/** Where strangers may register, the operator learns of the quotas that are off. */
export function recommendQuotas(
  log: Log,
  { registration, ...settings }: Pick<Settings, 'registration' | (typeof FOR_STRANGERS)[number]>,
  isOpen: boolean,
): void {
  const off = FOR_STRANGERS.filter((name) => settings[name] === 0);
  if (!isOpen || registration !== 'open' || off.length === 0) return;
  log.warn(
    { quotas: off },
    `anybody who reaches this hub may register; consider the quotas that are off: ${off.join(', ')}`,
  );
}

function firstStep(listening: Listening): string {
  if (!listening.isEmpty) return 'Open the console and sign in.';
  return listening.setupToken === undefined
    ? 'First step: open the console and register; the first user becomes admin.'
    : `First step: register the admin with this link, which works once:\n  ${firstLink(listening)}`;
}

export function logListening(log: Log, listening: Listening): void {
  const {
    version,
    urls: [url],
    publicUrl,
    data,
    isEmpty,
  } = listening;
  log.info(
    { version, url, mcp: `${url}/mcp`, data, ...(publicUrl !== undefined && { public_url: publicUrl }) },
    `agenthub listens on ${url}`,
  );
  if (!isEmpty) return;
  const link = firstLink(listening);
  log.info({ url: link }, `no user yet: register the first one, who becomes admin, at ${link}`);
}

// The token stands behind the #: browsers send that part to no server, so that it ends up in no log of a proxy.
function firstLink({ urls: [url = ''], publicUrl = url, setupToken }: Listening): string {
  return setupToken === undefined ? `${publicUrl}/` : `${publicUrl}/#setup=${setupToken}`;
}
