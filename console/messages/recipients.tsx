// The recipients of the send dialog: one in the field, or several, each with the reason if sending to it failed.
import { AliasInput, isUnknown } from '../agents/alias-input.tsx';
import { words } from '../i18n/language.ts';
import { recordOf } from '../live/kept.ts';
import { agents } from '../live/store.ts';
import { Icon, IconButton } from '../parts/icon.tsx';
import { type ComposerState, recipientsOf } from './draft.ts';

export function Recipients({ form, autoFocus }: { form: ComposerState; autoFocus: boolean }) {
  const { send } = words.value;
  const reasons = recordOf(form.others.value);
  const all = recipientsOf(form);
  const idle = agents.value?.filter(({ status, alias }) => status === 'idle' && !all.includes(alias)) ?? [];
  const keep = (aliases: readonly string[]) =>
    (form.others.value = JSON.stringify(Object.fromEntries(aliases.map((alias) => [alias, reasons[alias] ?? '']))));
  const add = (aliases: readonly string[]) => {
    keep([...recipientsOf(form), ...aliases]);
    form.alias.value = '';
    document.getElementById('send-alias')?.focus();
  };
  /** The only agent whose alias starts like this is meant. */
  const complete = () => {
    const typed = form.alias.value.trim();
    const [only, other] = agents.value?.filter(({ alias }) => alias.startsWith(typed)) ?? [];
    if (only !== undefined && other === undefined && isUnknown(typed)) form.alias.value = only.alias;
    add([]);
  };
  return (
    <div class="recipients">
      <div class="recipients-line">
        <AliasInput
          id="send-alias"
          label={send.to}
          hint={all.length > 1 ? send.eachHint(all.length) : send.toHint}
          value={form.alias}
          error={form.errors.alias}
          autoFocus={autoFocus}
          onEnter={complete}
        />
        <button type="button" class="button" aria-disabled={form.alias.value.trim() === ''} onClick={() => add([])}>
          <Icon name="plus" />
          {send.addRecipient}
        </button>
        {idle.length > 1 && (
          <button type="button" class="button button-quiet" onClick={() => add(idle.map(({ alias }) => alias))}>
            {send.addIdle(idle.length)}
          </button>
        )}
      </div>
      {Object.keys(reasons).length > 0 && (
        <ul class="recipients-list" aria-label={send.recipients}>
          {Object.entries(reasons).map(([alias, reason]) => (
            <li key={alias} class="tag" data-tone={reason === '' ? undefined : 'warning'}>
              <bdi>{alias}</bdi>
              {reason !== '' && <span class="recipient-reason">{reason}</span>}
              <IconButton
                icon="close"
                isSmall
                label={send.removeRecipient(alias)}
                onClick={() => keep(Object.keys(reasons).filter((each) => each !== alias))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
