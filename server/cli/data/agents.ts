// agent list and forget: show the agents of a network of the hub in a data directory, and delete their records.
import { forgetAgent } from '../../operations/operator/agents/forget-agent.ts';
import { listAgents } from '../../operations/operator/agents/list-agents.ts';
import { age, type OutputOptions, sayAnswer, sayLine, table } from '../output.ts';
import { type ConfirmOptions, confirm } from '../prompt.ts';
import { asOperator, type DataOptions, listAsOperator } from './as-operator.ts';

type Options = DataOptions & OutputOptions & { network: string };

export async function agentList(options: Options & { status?: string }): Promise<void> {
  const { network, status } = options;
  sayAnswer(options, await listAsOperator(options, listAgents, 'agents', { network, status }), ({ agents }) =>
    agents.length === 0
      ? 'no matching agents'
      : table(
          ['ALIAS', 'STATUS', 'SEEN', 'INBOX', 'AGENT', 'HOST'],
          agents.map((agent) => [
            agent.alias,
            agent.status,
            `${age(agent.last_seen_at)} ago`,
            agent.inbox_count,
            [agent.agent, agent.model].filter(Boolean).join(' ') || null,
            agent.hostname ?? null,
          ]),
        ),
  );
}

export async function agentForget(alias: string, options: Options & ConfirmOptions): Promise<void> {
  const { network } = options;
  await confirm(
    options,
    async () =>
      `This deletes the record of the agent ${alias} in the network ${network}. Its mail and its tasks stay.\nIf the agent runs, it is listed again after its next report.`,
  );
  sayLine(options, await asOperator(options, forgetAgent, { network, alias }), ({ inbox_count }) =>
    inbox_count === 0 ? `forgot ${alias}` : `forgot ${alias}; ${inbox_count} unread in its inbox stay for that alias`,
  );
}
