// A password field with an option to show the password.

import { type Signal, useSignal } from '@preact/signals';
import { words } from '../i18n/language.ts';
import { controlOf, Field, type FieldProps } from '../parts/field.tsx';
import { IconButton } from '../parts/icon.tsx';

type PasswordProps = FieldProps & { value: Signal<string>; autoComplete: 'new-password' | 'current-password' };

export function PasswordField({ value, autoComplete, ...field }: PasswordProps) {
  const shown = useSignal(false);
  const control = { ...controlOf(field, value), autoComplete, autoCapitalize: 'none', spellcheck: false } as const;
  return (
    <Field {...field}>
      <div class="input-with-button">
        {shown.value ? <input type="text" {...control} /> : <input type="password" {...control} />}
        <IconButton
          icon="eye"
          label={words.value.sign.show}
          isPressed={shown.value}
          onClick={() => (shown.value = !shown.value)}
        />
      </div>
    </Field>
  );
}
