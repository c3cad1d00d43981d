// An alias field that suggests known agents.
import type { Signal } from '@preact/signals';
import { words } from '../i18n/language.ts';
import { agents, agentsBeyond, agentsByAlias } from '../live/store.ts';
import { controlOf, Field, type FieldProps } from '../parts/field.tsx';

export function AliasInput({
  value,
  autoFocus,
  onEnter,
  ...given
}: FieldProps & { value: Signal<string>; autoFocus?: boolean; onEnter?: () => void }) {
  const field = isUnknown(value.value.trim())
    ? { ...given, error: undefined, hint: words.value.send.unknownAlias }
    : given;
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
        {agents.value?.map(({ alias }) => (
          <option key={alias} value={alias} />
        ))}
      </datalist>
    </Field>
  );
}

/** False if it may be one of the agents that are not loaded. */
function isUnknown(alias: string): boolean {
  return alias !== '' && agentsBeyond.value === null && agentsByAlias.value?.has(alias) === false;
}
