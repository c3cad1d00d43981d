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
  claude: { tool: [85, 99], turnEnd: [80, 107], idle: [148, 170] },
  codex: { tool: [98, 114], turnEnd: [96, 116], idle: [158, 174] },
  opencode: { tool: [156, 185], turnEnd: [170, 210], idle: [79, 105] },
  copilot: { tool: [138, 168], turnEnd: [236, 265], idle: [140, 168] },
  qwen: { tool: [196, 225], turnEnd: [198, 229], idle: [66, 71] },
  gemini: { tool: [104, 120], turnEnd: [145, 154] },
};
const MEASUREMENT = '2026-11-26, 20 trials on two cores';

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
    'Hooks have become faster since: in alternating runs of ten trials on a slower machine, the median at the end of a turn fell from 436 to',
    '175 ms for Claude Code and from 697 to 585 ms for Copilot CLI, and that of an idle session from 633 to 491 ms and from 435 to 354 ms.',
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
