// Chooses, saves and deletes templates in the send dialog, and asks for the values of placeholders.
import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { MAX_NAME } from '../../server/domain/limits.ts';
import { words } from '../i18n/language.ts';
import { recordOf } from '../live/kept.ts';
import type { ComposerState } from '../messages/draft.ts';
import { Field, TextField } from '../parts/field.tsx';
import { nameError } from '../parts/lengths.ts';
import { deleteTemplate, listTemplates, saveTemplate, type Template } from './templates.ts';

const FIELDS = ['text', 'context', 'priority', 'ttl'] as const;

/** Fills in the form. Returns what it replaced. */
export function applyTemplate(form: ComposerState, { name, ...fields }: Template): Template {
  const replaced = draftAs(form.template.value, form);
  for (const field of FIELDS) form[field].value = fields[field];
  form.template.value = name;
  return replaced;
}

function draftAs(name: string, { text, context, priority, ttl }: ComposerState): Template {
  return { name, text: text.value, context: context.value, priority: priority.value, ttl: ttl.value };
}

export function TemplatePicker({ form }: { form: ComposerState }) {
  const { templates: text } = words.value;
  const all = useSignal(listTemplates());
  const replaced = useSignal<Template | null>(null);
  const isSaving = useSignal(false);
  const choose = (name: string) => {
    const template = all.value.find((each) => each.name === name);
    const isOwn = form.text.value.trim() !== '' && !all.value.some((each) => each.text === form.text.value);
    const before = template === undefined ? null : applyTemplate(form, template);
    if (template === undefined) form.template.value = '';
    replaced.value = isOwn ? before : null;
  };
  const close = () => {
    isSaving.value = false;
    document.querySelector<HTMLElement>('.templates-line > button')?.focus();
  };
  const undo = () => {
    if (replaced.value !== null) applyTemplate(form, replaced.value);
    replaced.value = null;
  };
  return (
    <div class="templates">
      <div class="templates-line">
        {all.value.length > 0 && (
          <Field id="send-template" label={text.label}>
            <select
              class="input"
              id="send-template"
              value={form.template.value}
              onChange={({ currentTarget }) => choose(currentTarget.value)}
            >
              <option value="">{text.none}</option>
              {all.value.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </Field>
        )}
        <button
          type="button"
          class="button button-quiet"
          aria-expanded={isSaving.value}
          onClick={() => (isSaving.value = !isSaving.value)}
        >
          {form.template.value === '' ? text.save : text.edit}
        </button>
      </div>
      {replaced.value !== null && (
        <p class="field-hint" role="status">
          {text.replaced}{' '}
          <button type="button" class="button button-small" onClick={undo}>
            {text.undo}
          </button>
        </p>
      )}
      {isSaving.value && <SaveTemplate form={form} all={all} onDone={close} />}
    </div>
  );
}

const NAME_ID = 'template-name';

type SaveProps = { form: ComposerState; all: Signal<readonly Template[]>; onDone(): void };

function SaveTemplate({ form, all, onDone }: SaveProps) {
  const { templates: text, common } = words.value;
  const name = useSignal(form.template.value);
  const wrong = useSignal<string | undefined>(undefined);
  const trimmed = useComputed(() => name.value.trim()).value;
  const isKnown = all.value.some((each) => each.name === trimmed);
  useLayoutEffect(() => document.getElementById(NAME_ID)?.focus(), []);
  const finish = (chosen: string) => {
    form.template.value = chosen;
    all.value = listTemplates();
    onDone();
  };
  const save = () => {
    wrong.value = nameError(trimmed, MAX_NAME) ?? (form.text.value.trim() === '' ? text.needText : undefined);
    if (wrong.value !== undefined) return;
    saveTemplate(draftAs(trimmed, form));
    finish(trimmed);
  };
  const remove = () => {
    deleteTemplate(trimmed);
    finish('');
  };
  // The fields are part of the form that sends.
  const saveOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    save();
  };
  return (
    <fieldset class="template-save" onKeyDown={saveOnEnter}>
      <TextField
        id={NAME_ID}
        label={text.name}
        hint={isKnown ? text.replaces : text.hint}
        value={name}
        error={wrong.value}
        autoComplete="off"
      />
      <div class="button-row">
        <button type="button" class="button" onClick={save}>
          {isKnown ? text.saveChanges : text.saveNew}
        </button>
        {isKnown && (
          <button type="button" class="button" onClick={remove}>
            {text.delete}
          </button>
        )}
        <button type="button" class="button button-quiet" onClick={onDone}>
          {common.cancel}
        </button>
      </div>
    </fieldset>
  );
}

/** A field for each placeholder of the chosen template. */
export function PlaceholderFields({ form }: { form: ComposerState }) {
  if (form.placeholders.length === 0) return null;
  return (
    <fieldset class="placeholders">
      <legend class="field-label">{words.value.templates.values}</legend>
      {form.placeholders.map((name, at) => (
        <PlaceholderField key={name} id={`placeholder-${at}`} name={name} form={form} />
      ))}
    </fieldset>
  );
}

function PlaceholderField({ id, name, form }: { id: string; name: string; form: ComposerState }) {
  const given = recordOf(form.values.value);
  return (
    <Field id={id} label={name} error={form.errors.values?.[name]}>
      <input
        class="input"
        id={id}
        dir="auto"
        autoComplete="off"
        value={given[name] ?? ''}
        aria-invalid={form.errors.values?.[name] !== undefined}
        aria-describedby={`${id}-error`}
        onInput={({ currentTarget }) =>
          (form.values.value = JSON.stringify({ ...recordOf(form.values.value), [name]: currentTarget.value }))
        }
      />
    </Field>
  );
}
