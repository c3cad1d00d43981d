// A password field with an option to show the password.
import { type Signal, useSignal } from '@preact/signals';
import { words } from '../i18n/language.ts';
import { controlOf, Field, type FieldProps } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';

type PasswordProps = FieldProps & { value: Signal<string>; autoComplete: 'new-password' | 'current-password' };

export function PasswordField({ value, autoComplete, ...field }: PasswordProps) {
  const shown = useSignal(false);
  const control = { ...controlOf(field, value), autoComplete, autoCapitalize: 'none', spellcheck: false } as const;
  return (
    <Field {...field}>
      <div class="input-with-button">
        {shown.value ? <input type="text" {...control} /> : <input type="password" {...control} />}
        <ShowButton shown={shown} />
      </div>
    </Field>
  );
}

function ShowButton({ shown }: { shown: Signal<boolean> }) {
  const label = words.value.sign.show;
  return (
    <button
      type="button"
      class="button button-quiet button-icon"
      aria-label={label}
      title={label}
      aria-pressed={shown.value}
      onClick={() => (shown.value = !shown.value)}
    >
      <Icon name="eye" />
    </button>
  );
}
