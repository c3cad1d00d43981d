// Finds the hub that an argument names.
import type { ListedHub } from '../../operations/operator/cluster/list-hubs.ts';
import { CommandError } from '../exit-codes.ts';

const SHORT_ID = 8;

export function shortId({ hub_id }: Pick<ListedHub, 'hub_id'>): string {
  return hub_id.slice(0, SHORT_ID);
}

/** `text` is a name, with or without the port, or the first characters of an id. Throws unless it names one hub. */
export function findHub(hubs: readonly ListedHub[], text: string): ListedHub {
  if (hubs.length === 0) throw new CommandError('no hub runs on this database');
  const named = hubs.filter((hub) => isNamed(hub, text));
  const alive = named.filter(({ state }) => state !== 'lost');
  const [found, ...others] = alive.length > 0 ? alive : named;
  if (found === undefined)
    throw new CommandError(`no hub ${text} runs on this database; there are ${hubs.map(described).join(', ')}`);
  if (others.length > 0)
    throw new CommandError(
      `${text} names several hubs, ${[found, ...others].map(described).join(', ')}; use one of these names or ids`,
    );
  return found;
}

function isNamed({ hub_id, hub_name }: ListedHub, text: string): boolean {
  return hub_name === text || hub_name.replace(/:\d+$/, '') === text || hub_id.startsWith(text);
}

function described(hub: ListedHub): string {
  return `${hub.hub_name} (${shortId(hub)})`;
}
