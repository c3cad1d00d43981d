// Connects an agent: the network token, shown while it can be, the exact lines for each client, and the moment it worked.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { account, freshToken } from '../account.ts';
import { CLIENT_NAMES, type ClientName, CLIENTS } from '../agent-lines.ts';
import { createToken } from '../api.ts';
import { words } from '../i18n/language.ts';
import { Choice } from '../parts/choice.tsx';
import { Copyable } from '../parts/copy.tsx';
import { TextField } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { useTitle } from '../parts/title.ts';
import { problemText } from '../problems.ts';
import { PATHS } from '../routes.ts';
import { agents } from '../store.ts';

/** Stands in the lines where the token belongs when the console does not have it. */
const PLACE_OF_TOKEN = 'ntok_…';

export function Connect() {
  const { connect } = words.value;
  useTitle(connect.title);
  const user = account.value?.user;
  // The token a registration brings along is there from the start; one made later is not.
  const isFirst = useRef(freshToken.value !== null).current;
  return (
    <div class="connect">
      <h1>{isFirst ? connect.welcome(user?.display_name || user?.username || '') : connect.title}</h1>
      <p class="connect-lead">{connect.lead}</p>
      {freshToken.value === null ? <NoToken /> : <Token token={freshToken.value} />}
      <Lines token={freshToken.value ?? PLACE_OF_TOKEN} />
      <Arrival />
    </div>
  );
}

function Token({ token }: { token: string }) {
  const { connect } = words.value;
  return (
    <section class="card" aria-labelledby="token-title">
      <h2 id="token-title">{connect.token}</h2>
      <Copyable text={token} what={connect.token} />
      <p class="field-hint">{connect.tokenOnce}</p>
    </section>
  );
}

function NoToken() {
  const { connect } = words.value;
  const name = useSignal(connect.tokenNameFirst);
  const problem = useSignal<string | null>(null);
  const make = async (event: Event) => {
    event.preventDefault();
    problem.value = await makeToken(name.value.trim());
  };
  return (
    <section class="card" aria-labelledby="token-title">
      <h2 id="token-title">{connect.token}</h2>
      <p class="card-lead">{connect.noToken}</p>
      {problem.value !== null && <Notice tone="error">{problem.value}</Notice>}
      <form class="form-line" onSubmit={make}>
        <TextField id="token-name" label={connect.tokenName} value={name} autoComplete="off" />
        <button type="submit" class="button">{connect.makeToken}</button>
      </form>
    </section>
  );
}

/** Shows the new token, or answers why there is none. */
async function makeToken(name: string): Promise<string | null> {
  try {
    freshToken.value = (await createToken({ name, network_id: account.value?.network_id })).token;
    return null;
  } catch (error) {
    return problemText(error);
  }
}

function Lines({ token }: { token: string }) {
  const { connect } = words.value;
  const client = useSignal<ClientName>('claude');
  const options = CLIENT_NAMES.map((value) => ({ value, label: connect[value] }));
  return (
    <section class="card" aria-labelledby="lines-title">
      <h2 id="lines-title">{connect.lines}</h2>
      <Choice name="client" legend={connect.client} options={options} chosen={client.value} onChoose={(value) => (client.value = value)} />
      {client.value === 'curl' && <p class="field-hint">{connect.curlNote}</p>}
      <Copyable text={CLIENTS[client.value](location.origin, token)} what={connect[client.value]} />
      {client.value !== 'curl' && (
        <>
          <p class="field-hint">{connect.clientNote}</p>
          <Copyable text={connect.prompt} what={connect.clientNote} />
        </>
      )}
    </section>
  );
}

/** Says so the moment an agent that was not there before reports. */
function Arrival() {
  const { connect } = words.value;
  const before = useRef<ReadonlySet<string> | null>(null);
  if (agents.value !== null) before.current ??= new Set(agents.value.map((agent) => agent.alias));
  const joined = agents.value?.find((agent) => before.current?.has(agent.alias) === false);
  return (
    <section class="arrival" data-joined={joined !== undefined}>
      <p class="arrival-text" role="status">
        {joined === undefined ? <span class="dot" /> : <Icon name="check" />}
        {joined === undefined ? connect.waiting : connect.joined(joined.alias)}
      </p>
      <a class={joined === undefined ? 'button' : 'button button-primary'} href={PATHS.live}>{connect.go}</a>
    </section>
  );
}
