// A labelled field with hint and error, linked for screen readers. The field writes to the given signal.
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

export type FieldProps = { id: string; label: string; hint?: ComponentChildren; error?: string | undefined };

export function Field({ id, label, hint, error, children }: FieldProps & { children: ComponentChildren }) {
  return (
    <div class="field" data-invalid={error !== undefined}>
      <label class="field-label" for={id}>
        {label}
      </label>
      {children}
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`}>
          <Icon name="warning" />
          {error}
        </p>
      )}
      {hint !== undefined && error === undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** The attributes of the control: name, value and the reference to its hint or error. */
export function controlOf({ id, hint, error }: FieldProps, value: Signal<string>) {
  const by = error !== undefined ? `${id}-error` : hint !== undefined ? `${id}-hint` : undefined;
  return {
    class: 'input',
    id,
    name: id,
    value: value.value,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => (value.value = currentTarget.value),
    'aria-invalid': error !== undefined,
    'aria-describedby': by,
  } as const;
}

type TextFieldProps = FieldProps & {
  value: Signal<string>;
  autoComplete: string;
  autoCapitalize?: 'none';
  autoFocus?: boolean;
  spellcheck?: boolean;
};

export function TextField({ value, autoComplete, autoCapitalize, autoFocus, spellcheck, ...field }: TextFieldProps) {
  const typing = { autoComplete, ...(autoCapitalize && { autoCapitalize }), autoFocus, spellcheck };
  return (
    <Field {...field}>
      <input {...controlOf(field, value)} {...typing} />
    </Field>
  );
}

type TextAreaProps = FieldProps & { value: Signal<string>; rows?: number; autoFocus?: boolean };

export function TextArea({ value, rows = 6, autoFocus = false, ...field }: TextAreaProps) {
  return (
    <Field {...field}>
      <textarea {...controlOf(field, value)} rows={rows} autoFocus={autoFocus} dir="auto" />
    </Field>
  );
}

type SelectFieldProps = FieldProps & {
  value: Signal<string>;
  options: readonly { value: string; label: string }[];
};

export function SelectField({ value, options, ...field }: SelectFieldProps) {
  return (
    <Field {...field}>
      <select
        class="input"
        id={field.id}
        value={value.value}
        onChange={({ currentTarget }) => (value.value = currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Field>
  );
}
