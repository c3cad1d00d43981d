// The details an agent reports about itself, and the end of its output.
import { words } from '../i18n/language.ts';
import type { AgentRecord } from '../live/api.ts';
import { Letters } from '../text/letters.tsx';

const FACTS = [
  'agent',
  'model',
  'hostname',
  'server',
  'project_dir',
  'version',
  'tmux_name',
  'node_name',
  'node_id',
  'session_id',
  'resume_id',
  'config_path',
  'channels',
  'score',
] as const satisfies readonly (keyof AgentRecord)[];

export function AgentFacts({ agent }: { agent: AgentRecord }) {
  const { agent: text } = words.value;
  const known = FACTS.filter((name) => agent[name] !== null && agent[name] !== '');
  return (
    <>
      <section class="side-card" aria-label={text.output}>
        <h2>{text.output}</h2>
        {agent.output ? <Output text={agent.output} /> : <p class="text-block-empty">{text.outputEmpty}</p>}
      </section>
      <section class="side-card" aria-label={text.facts}>
        <h2>{text.facts}</h2>
        <dl class="facts">
          {known.map((name) => (
            <div key={name} class="fact">
              <dt>{text.fact[name]}</dt>
              <dd dir="auto">{agent[name]}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}

/** Scrolls to the end like a terminal, unless the user has scrolled up. */
function Output({ text }: { text: string }) {
  const scrollToEnd = (element: HTMLPreElement | null) => {
    if (element !== null && element.dataset['read'] !== 'true') element.scrollTop = element.scrollHeight;
  };
  const note = ({ currentTarget: element }: { currentTarget: HTMLPreElement }) => {
    element.dataset['read'] = String(element.scrollTop + element.clientHeight < element.scrollHeight - 8);
  };
  return (
    <pre
      class="output"
      dir="ltr"
      tabIndex={0}
      role="group"
      aria-label={words.value.agent.output}
      ref={scrollToEnd}
      onScroll={note}
    >
      <Letters text={text} />
    </pre>
  );
}
