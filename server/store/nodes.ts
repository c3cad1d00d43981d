// Stores nodes, one per network and node_id.
import { NODE_ATTRIBUTES, type Node } from '../domain/node.ts';
import { networkIdOf } from './engine/network-seqs.ts';
import { placeholders } from './engine/placeholders.ts';
import type { Reader, Transaction } from './engine/transaction.ts';
import { listNewest, type Page } from './lists/newest.ts';

const COLUMNS = ['node_id', 'alias', ...NODE_ATTRIBUTES, 'first_seen_at', 'last_seen_at'] as const;
const KEPT = NODE_ATTRIBUTES.map((name) => `${name} = coalesce(excluded.${name}, nodes.${name})`).join(', ');

export function list(reader: Reader, page: Page): Promise<(Node & { seq: number })[]> {
  const select = `${networkIdOf('nodes')}, ${COLUMNS.join(', ')}`;
  return listNewest(reader, { select, from: 'nodes', network: { seq: 'network_seq' }, sequence: 'node_seq' }, page);
}

export async function count(reader: Reader, networkId: string): Promise<number> {
  const found = await reader.first<{ count: number }>('SELECT count(*) AS count FROM nodes WHERE network_seq = ?', [
    reader.networkSeq(networkId),
  ]);
  return found?.count ?? 0;
}

export async function isKnown(reader: Reader, networkId: string, nodeId: string): Promise<boolean> {
  const found = await reader.first('SELECT 1 FROM nodes WHERE network_seq = ? AND node_id = ?', [
    reader.networkSeq(networkId),
    nodeId,
  ]);
  return found !== undefined;
}

/** Attributes that a report omits keep their value; first_seen_at never changes. */
export async function upsert(tx: Transaction, node: Node): Promise<void> {
  await tx.run(
    `INSERT INTO nodes (network_seq, ${COLUMNS.join(', ')}) VALUES (?, ${placeholders(COLUMNS)})
     ON CONFLICT (network_seq, node_id) DO UPDATE SET alias = excluded.alias, ${KEPT}, last_seen_at = excluded.last_seen_at`,
    [tx.networkSeq(node.network_id), ...COLUMNS.map((column) => node[column])],
  );
}
