// Texts of the connect page, which leads from a token to the first finished task.
import { WAKE_SENTENCES } from '../../../server/domain/clients/wake-sentences.ts';

export const connect = {
  title: 'Connect an agent',
  welcome: (name: string) => `Welcome, ${name}`,
  lead: (network: string) => `Connect an agent to your network ${network} and run your first task in four steps.`,
  leadWithoutName: 'Connect an agent and run your first task in four steps.',
  readOnly:
    'You have read-only access to this network, so an agent with your token cannot report. Ask the owner to make you a member.',
  stepToken: 'Your network token',
  tokenShownOnce: 'This token is shown only once. It is filled in below. Store it like a password.',
  noToken: 'Create a token to fill it in below, or replace the placeholder with one you saved.',
  tokenName: 'Token name',
  defaultTokenName: 'agent',
  createToken: 'Create token',
  stepConfigure: 'Configure your agent',
  client: 'Client',
  alias: 'Agent alias',
  aliasHint: 'Tasks are addressed to this alias.',
  setup: 'Setup',
  withHooks: 'With hooks (recommended)',
  withoutHooks: 'Without hooks',
  hooksHint: 'Hooks report what the agent does, and tell it about new mail while it works.',
  runConnect: 'Run this in the agent’s project directory, on a machine with the agenthub executable:',
  runOnce: 'Run this command once:',
  addTo: (file: string, asking?: string) =>
    `Add this to ${file}${asking ? `. ${asking} then asks for the token` : ''}:`,
  examples: {
    curl: 'No agent yet? Report a status with curl:',
    typescript: 'Save this as agent.mts and run it with Node.js 22.18 or later: node agent.mts',
  },
  wake: WAKE_SENTENCES,
  promptLabel: 'Then give the agent this prompt:',
  prompt: (alias: string) =>
    `Report your status to the hub as "${alias}" with report_status. Then call get_inbox with wait_seconds 60, complete each task, and send its result with send_reply. Then call get_inbox again, and keep waiting for tasks in this way, even after an empty response.`,
  promptWoken: (alias: string) =>
    `Your alias at the hub is "${alias}". Call get_inbox, complete each task, and send its result with send_reply.`,
  stepReport: 'Wait for its first report',
  waiting: 'Waiting for your agent…',
  waitingHint: 'This page updates when an agent reports its status.',
  connected: (alias: string) => `${alias} is connected`,
  stepTask: 'Send its first task',
  defaultTask: 'In one sentence, say who you are, which model you use, and what you can do here.',
  noAgent: 'Connect an agent first.',
  send: (alias: string) => `Send to ${alias}`,
  taskSent: 'Task sent:',
  manualReply: 'To reply manually:',
  taskFinished: 'Task settled:',
  taskOpen: 'Open task',
  tokenCreated: 'You have created a token. Replace the placeholder below with it, or create another.',
  another: 'Connect another agent',
  stalled: {
    noToken: 'Nothing yet: the configuration still contains a placeholder. Create a token in step 1.',
    unused: (hub: string) =>
      `Nothing yet: no request with your token has reached the hub. Restart the agent after you configure it, and check that it can reach ${hub}.`,
    local: 'An agent on another computer cannot use this address.',
    silent: (age: string) =>
      `An agent connected ${age} ago, but has not reported. Give it the prompt above, and allow it to use the hub's tools.`,
    task: 'Give the agent the prompt again so that it waits for tasks:',
  },
};
