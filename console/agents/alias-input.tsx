// An alias field that suggests known agents.
import type { Signal } from '@preact/signals';
import { agents } from '../live/store.ts';
import { controlOf, Field, type FieldProps } from '../parts/field.tsx';

export function AliasInput({
  value,
  autoFocus,
  ...field
}: FieldProps & { value: Signal<string>; autoFocus?: boolean }) {
  const list = `${field.id}-known`;
  return (
    <Field {...field}>
      <input
        {...controlOf(field, value)}
        list={list}
        autoComplete="off"
        spellcheck={false}
        autoFocus={autoFocus ?? false}
      />
      <datalist id={list}>
        {agents.value?.map(({ alias }) => (
          <option key={alias} value={alias} />
        ))}
      </datalist>
    </Field>
  );
}
