// The options with which every client command selects its hub, its token and its network.
import { option } from '../../command.ts';
import { directory, file, hubName, name } from '../../readers.ts';

export type HubOptions = {
  hub?: string | undefined;
  data?: string | undefined;
  network?: string | undefined;
  token?: string | undefined;
  tokenFile?: string | undefined;
};

const GROUP = 'Options for the hub:';

export const HUB = option(
  '--hub <hub>',
  'address of the hub, or name of a context (default: AGENTHUB_URL, AGENTHUB_CONTEXT, or the context in use)',
  hubName,
).helpGroup(GROUP);

export const RUNNING_ON = option('--data <directory>', 'use the hub that runs on this data directory', directory)
  .conflicts('hub')
  .helpGroup(GROUP);

export const NETWORK = option(
  '--network <network>',
  'name or id of the network to work in; needs a context or a user token',
  name,
).helpGroup(GROUP);

const TOKEN_FILE = option('--token-file <file>', 'read the token from this file (AGENTHUB_TOKEN_FILE)', file).helpGroup(
  GROUP,
);

const TOKEN = option(
  '--token <token>',
  'token (AGENTHUB_TOKEN); other users of this machine can see it in the list of processes, so prefer --token-file',
  name,
)
  .conflicts('tokenFile')
  .helpGroup(GROUP);

/** The options as they are typed. */
export function hubWords({ hub, data, network, token, tokenFile }: HubOptions): string[] {
  const given = { '--hub': hub, '--data': data, '--network': network, '--token': token, '--token-file': tokenFile };
  return Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
}

export const HUB_OPTIONS = [HUB, RUNNING_ON, NETWORK, TOKEN_FILE, TOKEN];
