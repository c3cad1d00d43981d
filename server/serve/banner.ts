// The startup message of `serve`: a banner on a terminal, otherwise log lines.
import { setupLink } from '../domain/accounts/setup-token.ts';
import { SETUP_TOKEN_MS } from '../domain/limits.ts';
import type { Log } from '../domain/log.ts';
import { FOR_STRANGERS } from '../domain/quotas.ts';
import type { Settings } from '../domain/settings.ts';
import { roughDuration } from '../domain/time/time.ts';
import type { Cluster } from '../store/engine/cluster.ts';

export type Listening = {
  version: string;
  /** The URLs under which the hub listens. */
  urls: readonly string[];
  publicUrl: string | undefined;
  data: string;
  /** Which of the hubs on its database this is; undefined on a file. */
  place: PlaceInCluster | undefined;
  /** Whether the data is deleted when the hub stops. */
  isEphemeral: boolean;
  /** Whether there are no users yet. */
  isEmpty: boolean;
  setupToken: string | undefined;
};

/** `number` counts the hubs that run from 1, in the order of their start. */
export type PlaceInCluster = { hub: string; hub_id: string; number: number; hubs: number };

export function placeIn({ hubId, hubs }: Pick<Cluster, 'hubId' | 'hubs'>): PlaceInCluster {
  const alive = hubs().filter(({ is_alive }) => is_alive);
  const at = alive.findIndex(({ hub_id }) => hub_id === hubId);
  // A hub that has not been able to announce itself yet comes after those that it knows.
  const [number, others] = at === -1 ? [alive.length + 1, alive.length] : [at + 1, alive.length - 1];
  return { hub: alive[at]?.hub_name ?? hubId, hub_id: hubId, number, hubs: others + 1 };
}

function describePlace({ number, hubs }: PlaceInCluster): string {
  return hubs === 1 ? 'the only hub on its database' : `hub ${number} of ${hubs} on its database`;
}

const NOTHING_KEPT = 'Nothing is kept: the data is deleted when the hub stops.';
const LIFETIME = roughDuration(SETUP_TOKEN_MS);

export function banner(listening: Listening): string {
  const { version, data, urls, publicUrl, place, isEphemeral } = listening;
  const [console, ...others] = [...(publicUrl === undefined ? [] : [publicUrl]), ...urls].map((url) => `${url}/`);
  return `
  agenthub ${version}

  Console   ${[console, ...others].join('\n            ')}
  MCP       ${console}mcp
  Data      ${data}
${place === undefined ? '' : `  Cluster   ${describePlace(place)} (${place.hub})\n`}${isEphemeral ? `            ${NOTHING_KEPT}\n` : ''}
  ${firstStep(listening)}
  Press Ctrl-C to stop.

`;
}

/** Warns about disabled quotas when anyone may register. */
export function recommendQuotas(
  log: Log,
  { registration, ...settings }: Pick<Settings, 'registration' | (typeof FOR_STRANGERS)[number]>,
  isOpen: boolean,
): void {
  const off = FOR_STRANGERS.filter((name) => settings[name] === 0);
  if (!isOpen || registration !== 'open' || off.length === 0) return;
  log.warn(
    { quotas: off },
    `anyone who can reach this hub may register; consider setting these quotas: ${off.join(', ')}`,
  );
}

function firstStep(listening: Listening): string {
  if (!listening.isEmpty) return 'Open the console and sign in.';
  return listening.setupToken === undefined
    ? 'First step: open the console and register; the first user becomes admin.'
    : `First step: register the admin with this link within ${LIFETIME}:\n  ${firstLink(listening)}`;
}

export function logListening(log: Log, listening: Listening): void {
  const {
    version,
    urls: [url],
    publicUrl,
    data,
    place,
    isEphemeral,
    isEmpty,
    setupToken,
  } = listening;
  log.info(
    { version, url, mcp: `${url}/mcp`, data, ...(publicUrl !== undefined && { public_url: publicUrl }) },
    `agenthub listens on ${url}`,
  );
  if (place !== undefined) log.info(place, `this is ${describePlace(place)}`);
  if (isEphemeral) log.warn({ data }, NOTHING_KEPT);
  if (!isEmpty) return;
  const link = firstLink(listening);
  const limit = setupToken === undefined ? '' : ` within ${LIFETIME}`;
  log.info({ url: link }, `no users yet; register the first user, who becomes admin, at ${link}${limit}`);
}

function firstLink({ urls: [url = ''], publicUrl = url, setupToken }: Listening): string {
  return setupToken === undefined ? `${publicUrl}/` : setupLink(publicUrl, setupToken);
}
