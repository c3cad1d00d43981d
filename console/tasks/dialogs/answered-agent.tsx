// What the dialogs to answer an agent say about it: what it wrote last, whether it has gone on, and what will wake it.
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { withoutControls } from '../../../server/domain/text/controls.ts';
import { stuckSince } from '../../agents/roster.ts';
import { language, words } from '../../i18n/language.ts';
import { showAgent } from '../../live/api.ts';
import { now } from '../../live/clock.ts';
import { agentsBeyond, agentsByAlias } from '../../live/store.ts';
import { LOOK_MS } from '../../messages/read-mail.ts';
import { haltedStatus } from '../../needs-you/agent-needs.ts';
import { headline } from '../../parts/format.ts';
import { reachSentences } from '../reach.ts';

/**
 * What an agent that needed somebody has said since the dialog was opened, which does not show it. `holds` is true once
 * for each that has just appeared: the person may not have seen it when they pressed the button.
 */
export function useMoved(alias: string): { to: string | undefined; holds(): boolean } {
  const agent = useComputed(() => agentsByAlias.value?.get(alias)).value;
  const output = agent?.last_output ?? '';
  const said = agent && `${agent.last_status ?? agent.status} ${output}`;
  const [opened] = useState(agent !== undefined && haltedStatus(agent, now.peek()) !== undefined ? said : undefined);
  const [outputThen] = useState(output);
  const held = useRef(opened);
  const hasMoved = opened !== undefined && said !== opened;
  const since = useRef(0);
  useEffect(() => void (since.current = performance.now()), [said]);
  return {
    to: hasMoved ? headline(output === outputThen ? '' : output) : undefined,
    holds: () => {
      const isNew = hasMoved && said !== held.current && performance.now() - since.current < LOOK_MS;
      held.current = said;
      return isNew;
    },
  };
}

/** What an agent that waits has said last, in one line; empty if it does not wait or has said nothing. */
export function askedBy(alias: string): string {
  const agent = agentsByAlias.peek()?.get(alias);
  const status = agent && haltedStatus(agent, now.peek());
  return status === 'waiting_input' || status === 'blocked' ? headline(agent?.last_output ?? '') : '';
}

/** What will make the recipient see the answer. A separate component, so that the clock updates only this text. */
export function Reach({ alias }: { alias: string }) {
  const agent = useComputed(() => agentsByAlias.value?.get(alias)).value;
  const isKnown = agent !== undefined || (agentsByAlias.value !== null && agentsBeyond.value === null);
  const context = { now: now.value, language: language.value, words: words.value };
  return <p class="answer-reach">{words.value.task.whyText.all(reachSentences(alias, agent, isKnown, context))}</p>;
}

/** What an agent that needs somebody wrote last. */
export function LastOutput({ alias, network_id }: { alias: string; network_id: string | undefined }) {
  const output = useSignal('');
  const needsSomebody = useComputed(() => {
    const agent = agentsByAlias.value?.get(alias);
    return (
      agent !== undefined &&
      (haltedStatus(agent, now.value) !== undefined || stuckSince(agent, '', now.value) !== undefined)
    );
  }).value;
  useEffect(() => {
    // What was opened stays, whatever the agent says meanwhile.
    if (!needsSomebody || output.value !== '') return;
    showAgent(alias, { network_id }).then(
      ({ session }) => (output.value = withoutControls(session.output ?? '').trimEnd() || headline(session.task ?? '')),
      () => {},
    );
  }, [needsSomebody]);
  const end = useRef<HTMLPreElement>(null);
  // What it asks is in the last lines.
  useEffect(() => end.current?.scrollTo({ top: end.current.scrollHeight }), [output.value]);
  if (output.value === '') return null;
  return (
    <pre
      ref={end}
      class="output answer-output"
      dir="auto"
      tabIndex={0}
      role="group"
      aria-label={words.value.agent.output}
    >
      {output.value}
    </pre>
  );
}
