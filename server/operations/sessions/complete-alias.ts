// Completes a prefix to aliases, ignoring case. The number of aliases searched is bounded.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_ALIASES_SEARCHED, MAX_COMPLETED_ALIASES } from '../../domain/limits.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as sessionsByAlias from '../../store/lists/sessions-by-alias.ts';
import { operation } from '../operation.ts';

export const completeAlias = operation({
  name: 'complete_alias',
  summary: 'List the aliases that start with a prefix.',
  access: 'read',
  input: v.object({ beginning: v.string('must be a string'), network_id: fields.networkId }),
  run: (_hub, caller, { beginning }, { store }) =>
    store.read(async (reader) => {
      const { fitting, isAll } = await search(reader, caller.networks, beginning);
      const aliases = fitting.slice(0, MAX_COMPLETED_ALIASES);
      return {
        ok: true,
        aliases,
        has_more: !isAll || fitting.length > aliases.length,
        ...(isAll && { total: fitting.length }),
      };
    }),
});

const AT_ONCE = 1_000;

type Found = { fitting: string[]; isAll: boolean };

/** Beyond the bound, only aliases with exactly this case are found, through the index. */
async function search(reader: Reader, networks: readonly string[], beginning: string): Promise<Found> {
  const fits = beginningWith(beginning);
  const fitting: string[] = [];
  let left = MAX_ALIASES_SEARCHED;
  for (const network of networks) {
    for (let next: string | undefined = ''; next !== undefined; ) {
      const found: string[] = await sessionsByAlias.listAliases(reader, network, next, AT_ONCE + 1);
      next = found[AT_ONCE];
      fitting.push(...found.slice(0, AT_ONCE).filter(fits));
      left -= found.length;
      if (next !== undefined && left <= 0)
        return { fitting: [...fitting, ...(await beginningExactly(reader, network, next, beginning))], isAll: false };
    }
  }
  return { fitting, isAll: true };
}

async function beginningExactly(reader: Reader, network: string, next: string, beginning: string): Promise<string[]> {
  const found = await sessionsByAlias.listAliases(
    reader,
    network,
    next > beginning ? next : beginning,
    MAX_COMPLETED_ALIASES,
  );
  return found.filter((alias) => alias.startsWith(beginning));
}

function beginningWith(typed: string): (alias: string) => boolean {
  const beginning = typed.toLowerCase();
  return (alias) => alias.toLowerCase().startsWith(beginning);
}
