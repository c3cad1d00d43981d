// The tables of clients in the README.
import type { Client } from '../../server/domain/clients/client.ts';
import { CLIENTS, type ClientName, CONNECT_NAMES, configurationOf } from '../../server/domain/clients/clients.ts';
import { newConfiguration, shownPath, type Wake, wakeLine } from '../../server/domain/clients/setup.ts';
import { table } from './markdown.ts';

const HUB = 'http://127.0.0.1:4747';
const ALIAS = 'builder';

export function configurationsTable(): string {
  const rows = CONNECT_NAMES.map((name) => {
    const { setup, readme = {} }: Client = CLIENTS[name];
    return [setup.title, byHand(setup, configurationOf(name)), readme.configuration ?? ''];
  });
  return table(['client', 'configuration', 'notes'], rows);
}

function byHand({ command }: Client['setup'], configuration: ReturnType<typeof configurationOf>): string {
  if (command !== undefined) return `\`${command.line(HUB, '$HUB_TOKEN')}\``;
  const file = shownPath(configuration, configuration.scope);
  return `\`${file}\`: \`${JSON.stringify(newConfiguration(configuration, HUB, undefined))}\``;
}

/** `npm run clients`: median and 95th percentile in milliseconds. */
type Latency = readonly [median: number, p95: number];
type Latencies = { tool: Latency; turnEnd: Latency; idle?: Latency };

const MEASURED: Partial<Record<ClientName, Latencies>> = {
  claude: { tool: [165, 206], turnEnd: [126, 191], idle: [359, 462] },
  codex: { tool: [265, 294], turnEnd: [248, 287], idle: [365, 421] },
  opencode: { tool: [358, 631], turnEnd: [406, 669], idle: [157, 212] },
  copilot: { tool: [290, 329], turnEnd: [431, 613], idle: [261, 309] },
  qwen: { tool: [458, 534], turnEnd: [470, 582], idle: [110, 359] },
  gemini: { tool: [265, 307], turnEnd: [415, 514] },
};
const MEASUREMENT = '2026-11-26, 20 trials on two cores, OpenCode with other load';

export function hooksTable(): string {
  const rows = Object.entries<Client>(CLIENTS).map(([name, client]) => [
    client.setup.title,
    tellsBusy(client),
    wakesIdle(client),
    ...latencies(MEASURED[name as ClientName]),
  ]);
  return [
    table(['', 'tells a working agent', 'wakes an idle agent', 'tool call', 'end of turn', 'idle'], rows),
    '',
    `The numbers are median and 95th percentile in milliseconds (${MEASUREMENT}), until the model reads the text of a new`,
    'task: after it was sent while the model worked, after the turn has ended, and after it was sent to an idle session.',
  ].join('\n');
}

function tellsBusy({ hooks, readme }: Client): string {
  if (hooks === undefined) return 'no';
  const by = hooks.installation?.layout === 'plugin' ? 'plugin' : 'hooks';
  return withRemark(by, readme?.tells);
}

function wakesIdle({ setup, hooks, readme }: Client): string {
  const by = hooks?.installation?.layout === 'plugin' ? 'plugin' : wayOf(setup.wake);
  return withRemark(by, readme?.wakes);
}

function wayOf(wake: Wake): string {
  if (wake.by === 'hooks') return '`agenthub wake`, which `--hooks` adds';
  if (wake.by === 'shell') return '`agenthub wake` in a background shell, which a hook tells the agent to start';
  return wake.by === 'worker' ? `no; run \`${wakeLine(wake, { alias: ALIAS })}\`` : 'no';
}

function withRemark(text: string, remark: string | undefined): string {
  return remark === undefined ? text : `${text}, ${remark}`;
}

function latencies(measured: Latencies | undefined): string[] {
  return [measured?.tool, measured?.turnEnd, measured?.idle].map((times) => times?.join(' / ') ?? '');
}
