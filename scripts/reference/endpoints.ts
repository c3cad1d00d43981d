// The table of endpoints: the routes, and the endpoints that are not in the route table.
import type { Access } from '../../server/domain/accounts/permissions.ts';
import { inputMembers } from '../../server/http/documents/input-schema.ts';
import { ROUTES } from '../../server/http/routes.ts';
import type { InputSchema } from '../../server/operations/operation.ts';
import { followEvents } from '../../server/operations/records/follow-events.ts';
import { INPUT_LEGEND, inputs, table } from './markdown.ts';

const WHO: Readonly<Record<Access, string>> = {
  public: 'anyone',
  account: 'U',
  read: 'N, U',
  write: 'N, U; no viewer',
};

const OTHER_ENDPOINTS = [
  ['`POST /mcp`', 'N', 'a JSON-RPC request', 'Call a tool.'],
  ['`GET /events/:alias`', WHO.read, takes('/events/:alias', followEvents.input), 'Follow the events of an agent.'],
  ['`GET /events`', WHO.read, takes('/events/:alias', followEvents.input), 'Follow the events of a whole network.'],
  ['`GET /openapi.json`', WHO.public, '', 'The REST endpoints as OpenAPI 3.1.'],
  ['`GET /metrics`', 'this machine, or the `metrics_token`', '', 'The metrics of the hub, for Prometheus.'],
  ['`GET /llms.txt`', WHO.public, '', 'Instructions for agents, on one page.'],
];

export function endpointTable(): string {
  const rows = ROUTES.map(([method, path, { access, input, summary }]) => [
    `\`${method} ${path}\``,
    WHO[access],
    takes(path, input),
    summary,
  ]);
  const legend = `U is a user token (\`utok_…\`), N a network token (\`ntok_…\`). ${INPUT_LEGEND}`;
  return `${legend}\n\n${table(['endpoint', 'who', 'takes', 'does'], [...rows, ...OTHER_ENDPOINTS])}`;
}

/** Without path parameters, which are in the first column. */
function takes(path: string, input: InputSchema): string {
  return inputs(inputMembers(input).filter(({ name }) => !path.split('/').includes(`:${name}`)));
}
