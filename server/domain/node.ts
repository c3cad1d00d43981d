// A node: the last known attributes of a reported node_id, which outlive the session.
import type { Millis } from './time/clock.ts';
import { timestamp } from './time/time.ts';

const ATTRIBUTES = ['node_name', 'server', 'hostname', 'project_dir', 'version', 'agent', 'model'] as const;
export const NODE_ATTRIBUTES: readonly NodeAttribute[] = ATTRIBUTES;
export type NodeAttribute = (typeof ATTRIBUTES)[number];

export type Node = {
  network_id: string;
  node_id: string;
  /** The alias that reported it last. */
  alias: string;
  first_seen_at: Millis;
  last_seen_at: Millis;
} & Record<NodeAttribute, string | null>;

export function nodeRecord(node: Node) {
  return {
    node_id: node.node_id,
    node_name: node.node_name,
    alias: node.alias,
    server: node.server,
    hostname: node.hostname,
    project_dir: node.project_dir,
    version: node.version,
    agent: node.agent,
    model: node.model,
    network_id: node.network_id,
    first_seen_at: timestamp(node.first_seen_at),
    last_seen_at: timestamp(node.last_seen_at),
  };
}
