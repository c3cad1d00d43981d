// An alias field that suggests known agents, with the status and the queue of each.
import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { account } from '../account/account.ts';
import { language, words } from '../i18n/language.ts';
import type { Agent } from '../live/api.ts';
import { now } from '../live/clock.ts';
import { agents, agentsBeyond, agentsByAlias } from '../live/store.ts';
import { HUB_ALIAS } from '../needs-you/need.ts';
import { controlOf, Field, type FieldProps } from '../parts/field.tsx';
import { age, momentOf } from '../parts/format.ts';

type AliasInputProps = FieldProps & {
  value: Signal<string>;
  autoFocus?: boolean;
  onEnter?: () => void;
  /** An agent that is not suggested. */
  except?: string | undefined;
  /** Idle agents are buttons below the field. */
  suggestsIdle?: boolean;
};

const MOST_IDLE = 6;

export function AliasInput({ value, autoFocus, onEnter, except, suggestsIdle, ...given }: AliasInputProps) {
  const { agents: text, agentStatus } = words.value;
  const alias = value.value.trim();
  const known = agentsByAlias.value?.get(alias);
  const offline =
    known?.status === 'offline'
      ? words.value.task.whyText.offline(alias, age(momentOf(known.last_seen_at), now.value, language.value))
      : undefined;
  const queue = known?.inbox_count ?? 0;
  const busy = suggestsIdle && queue > 0 ? words.value.labelled(alias, text.inbox(queue)) : undefined;
  const warning = isUnknown(alias) ? words.value.send.unknownAlias : (offline ?? busy);
  const hint = warning && <span class="field-warning">{warning}</span>;
  const field = hint === undefined ? given : { ...given, error: undefined, hint };
  const list = `${field.id}-known`;
  return (
    <Field {...field}>
      <input
        {...controlOf(field, value)}
        list={list}
        autoComplete="off"
        spellcheck={false}
        autoFocus={autoFocus ?? false}
        onKeyDown={(event) => {
          const { key, ctrlKey, metaKey, isComposing } = event;
          if (key !== 'Enter' || ctrlKey || metaKey || isComposing || !onEnter || value.value.trim() === '') return;
          event.preventDefault();
          onEnter();
        }}
      />
      <datalist id={list}>
        {agents.value?.map(({ alias, status, inbox_count = 0 }) =>
          alias === except ? null : (
            <option key={alias} value={alias} label={`${agentStatus[status]} · ${text.inbox(inbox_count)}`} />
          ),
        )}
      </datalist>
      {suggestsIdle && <IdleAgents value={value} except={except} fieldId={field.id} />}
    </Field>
  );
}

const queueOf = ({ inbox_count = 0 }: Agent): number => inbox_count;

type IdleAgentsProps = Pick<AliasInputProps, 'value' | 'except'> & { fieldId: string };

/** The agents that can start at once: those with the shortest queues. None moves; one that is busy now is disabled. */
function IdleAgents({ value, except, fieldId }: IdleAgentsProps) {
  const all = (agents.value ?? []).filter((agent) => agent.status === 'idle' && agent.alias !== except);
  const least = Math.min(...all.map(queueOf));
  const idle = all.filter((agent) => queueOf(agent) === least).map(({ alias }) => alias);
  const offered = useRef<readonly string[]>([]);
  offered.current = [...new Set([...offered.current, ...idle])].slice(0, MOST_IDLE);
  if (offered.current.length === 0) return null;
  const { agentStatus } = words.value;
  // The focus is in the field then, where Enter submits.
  const choose = (alias: string) => {
    value.value = alias;
    document.getElementById(fieldId)?.focus();
  };
  return (
    <div class="idle-agents" role="group" aria-label={agentStatus.idle}>
      <span aria-hidden="true">{agentStatus.idle}</span>
      {offered.current.map((alias) => (
        <button
          key={alias}
          type="button"
          class="button button-small"
          disabled={!idle.includes(alias)}
          onClick={() => choose(alias)}
        >
          <bdi>{alias}</bdi>
        </button>
      ))}
    </div>
  );
}

/** False for the person and for `hub`, and if it may be one of the agents that are not loaded. */
export function isUnknown(alias: string): boolean {
  if (isOwnInbox(alias)) return false;
  return alias !== '' && agentsBeyond.value === null && agentsByAlias.value?.has(alias) === false;
}

/** Names of people, which no agent reports under. */
export function isOwnInbox(alias: string): boolean {
  return alias === account.value?.user.username || alias === HUB_ALIAS;
}
