// Optional task fields: priority, start limit and context.
import { PRIORITIES } from '../../server/domain/task-status.ts';
import { language, words } from '../i18n/language.ts';
import { Choice } from '../parts/choice.tsx';
import { SelectField, TextArea } from '../parts/field.tsx';
import { age } from '../parts/format.ts';
import { statusNamed } from '../parts/statuses.ts';
import { type ComposerState, TTLS } from './draft.ts';

/** `id` prefixes the ids of the fields, because a page can contain the fields twice. */
type OptionsProps = { form: ComposerState; id: string };

export function ComposeUrgency({ form, id }: OptionsProps) {
  const { messages: text, priority } = words.value;
  return (
    <div class="form-row">
      <Choice
        name={`${id}-priority`}
        legend={text.priority}
        options={PRIORITIES.map((value) => ({ value, label: priority[value] }))}
        chosen={statusNamed(PRIORITIES, form.priority.value) ?? 'normal'}
        onChoose={(value) => (form.priority.value = value)}
      />
      <SelectField
        id={`${id}-ttl`}
        label={text.ttl}
        value={form.ttl}
        options={TTLS.map((seconds) => ({ value: String(seconds), label: age(0, seconds * 1_000, language.value) }))}
      />
    </div>
  );
}

export function ComposeContext({ form, id }: OptionsProps) {
  return (
    <TextArea
      id={`${id}-context`}
      label={words.value.messages.contextLabel}
      value={form.context}
      rows={2}
      error={form.errors.context}
    />
  );
}
