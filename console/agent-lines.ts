// The exact lines that connect an agent to this hub, one entry per client.
import type { Words } from './i18n/en.ts';

export type ClientName = keyof Pick<Words['connect'], 'claude' | 'codex' | 'gemini' | 'curl'>;

export const CLIENTS: Record<ClientName, (hub: string, token: string) => string> = {
  claude: (hub, token) => `claude mcp add --transport http hub ${hub}/mcp --header "Authorization: Bearer ${token}"`,
  codex: (hub, token) => `export HUB_TOKEN=${token}\ncodex mcp add hub --url ${hub}/mcp --bearer-token-env-var HUB_TOKEN`,
  gemini: (hub, token) => `gemini mcp add --scope user --transport http --header "Authorization: Bearer ${token}" hub ${hub}/mcp`,
  curl: (hub, token) => `curl ${hub}/mcp \\
  -H "Authorization: Bearer ${token}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(REPORT)}'`,
};

const REPORT = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'report_status', arguments: { resume_id: 'worker-1', alias: 'worker-1', status: 'idle' } },
};

export const CLIENT_NAMES: readonly ClientName[] = ['claude', 'codex', 'gemini', 'curl'];
