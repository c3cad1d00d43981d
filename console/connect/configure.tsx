// The step that configures a client, with or without hooks.
import { type Setup, type Wake, wakeLine } from '../../server/domain/clients/setup.ts';
import { MAX_NAME } from '../../server/domain/limits.ts';
import { freshToken } from '../account/account.ts';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { Choice } from '../parts/choice.tsx';
import { Copyable } from '../parts/copy.tsx';
import { statusNamed } from '../parts/statuses.ts';
import {
  type AgentAccess,
  CLIENT_NAMES,
  CLIENTS,
  type ClientName,
  configurationLines,
  connectLines,
  TOKEN_PLACEHOLDER,
} from './client-lines.ts';
import { useHubUrl } from './hub-url.ts';
import { Step } from './step.tsx';

export function Configure({ alias, isConnected }: { alias: string; isConnected: boolean }) {
  const { connect } = words.value;
  const { query, replace } = useAddress();
  const client = statusNamed(CLIENT_NAMES, query['client']) ?? 'claude';
  const chosen = CLIENTS[client];
  const agent = { url: useHubUrl(), token: freshToken.value ?? TOKEN_PLACEHOLDER, alias };
  const hasHooks = 'hook' in chosen && query['hooks'] !== 'no';
  return (
    <Step
      number={2}
      title={connect.stepConfigure}
      state={isConnected ? 'done' : freshToken.value === null ? 'open' : 'now'}
    >
      <Choice
        name="client"
        legend={connect.client}
        options={CLIENT_NAMES.map((value) => ({ value, label: CLIENTS[value].title }))}
        chosen={client}
        onChoose={(value) => replace({ client: value })}
      />
      {'hook' in chosen && <HooksChoice hasHooks={hasHooks} />}
      <AliasField alias={alias} />
      {'example' in chosen ? (
        <Lines hint={connect.examples[chosen.name]} what={chosen.title} text={chosen.example(agent)} />
      ) : (
        <ClientLines client={client} setup={chosen} agent={agent} hasHooks={hasHooks} />
      )}
    </Step>
  );
}

function HooksChoice({ hasHooks }: { hasHooks: boolean }) {
  const { connect } = words.value;
  const { replace } = useAddress();
  return (
    <div class="field">
      <Choice
        name="hooks"
        legend={connect.setup}
        options={[
          { value: 'yes', label: connect.withHooks },
          { value: 'no', label: connect.withoutHooks },
        ]}
        chosen={hasHooks ? 'yes' : 'no'}
        onChoose={(value) => replace({ hooks: value === 'no' ? value : undefined })}
      />
      <p class="field-hint">{connect.hooksHint}</p>
    </div>
  );
}

type ClientLinesProps = { client: ClientName; setup: Setup; agent: AgentAccess; hasHooks: boolean };

function ClientLines({ client, setup, agent, hasHooks }: ClientLinesProps) {
  const { connect } = words.value;
  const wake: Wake = hasHooks ? setup.wake : { by: 'inbox' };
  const line = wakeLine(wake, agent);
  const isWoken = wake.by === 'hooks' || wake.by === 'shell';
  const { file, lines } = configurationLines(setup, agent);
  const asking = setup.configuration?.asks && setup.title;
  const hint = hasHooks ? connect.runConnect : file === undefined ? connect.runOnce : connect.addTo(file, asking);
  return (
    <>
      <Lines hint={hint} what={setup.title} text={hasHooks ? connectLines(client, agent) : lines} />
      <p class="field-hint">{connect.wake[wake.by](line)}</p>
      <Lines
        hint={connect.promptLabel}
        what={connect.promptLabel}
        text={isWoken ? connect.promptWoken(agent.alias) : connect.prompt(agent.alias)}
      />
    </>
  );
}

function Lines({ hint, what, text }: { hint: string; what: string; text: string }) {
  return (
    <>
      <p class="field-hint">{hint}</p>
      <Copyable text={text} what={what} />
    </>
  );
}

function AliasField({ alias }: { alias: string }) {
  const { connect } = words.value;
  const { replace } = useAddress();
  return (
    <div class="field field-short">
      <label class="field-label" for="agent-alias">
        {connect.alias}
      </label>
      <input
        class="input"
        id="agent-alias"
        defaultValue={alias}
        aria-describedby="agent-alias-hint"
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        maxLength={MAX_NAME}
        onInput={({ currentTarget }) => replace({ alias: currentTarget.value.trim() || undefined })}
      />
      <p class="field-hint" id="agent-alias-hint">
        {connect.aliasHint}
      </p>
    </div>
  );
}
