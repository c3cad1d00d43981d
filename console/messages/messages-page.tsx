// The messages page: conversations, the message log and the composer.
import { account } from '../account/account.ts';
import { ExportButton } from '../export/export-button.tsx';
import { FilterMenu } from '../find/saved/filter-menu.tsx';
import { useAddress } from '../frame/address.ts';
import { useTitle } from '../frame/title.ts';
import { words } from '../i18n/language.ts';
import { agents, isStale, mayWrite } from '../live/store.ts';
import { HUB_ALIAS } from '../needs-you/need.ts';
import { AliasFilter } from '../parts/filter-bar.tsx';
import { PATHS } from '../routes.ts';
import { Composer } from './composer.tsx';
import { useConversation } from './conversation.ts';
import { ConversationList } from './conversation-list.tsx';
import { messagesToExport } from './export-messages.ts';
import { MessageLog } from './message-log.tsx';

export default function MessagesPage() {
  const { messages: text, pages } = words.value;
  const { query } = useAddress();
  const between = { of: query['of'], with: query['with'] };
  const conversation = useConversation(between);
  useTitle(text.title);
  return (
    <div class="messages" data-stale={isStale.value}>
      <h1 class="visually-hidden">{pages.messages}</h1>
      {mayWrite.value && (
        <a class="skip" href="#compose-text">
          {text.compose}
        </a>
      )}
      <ConversationList messages={conversation.rows.value} />
      <section class="conversation" aria-label={text.list}>
        <Between />
        <MessageLog
          key={`${account.value?.network_id} ${between.of} ${between.with}`}
          conversation={conversation}
          between={between}
        />
        {mayWrite.value ? (
          <Composer
            key={`${account.value?.network_id} ${between.of}`}
            rows={conversation.rows.value ?? []}
            between={between}
          />
        ) : (
          <p class="composer panel-text">{words.value.errors.readOnly}</p>
        )}
      </section>
    </div>
  );
}

function Between() {
  const { messages: text, filters } = words.value;
  const { query } = useAddress();
  const known = agents.value?.map(({ alias }) => alias) ?? [];
  const aliases = [...new Set([account.value?.user.username ?? '', HUB_ALIAS, ...known])];
  return (
    <search class="filters conversation-filters" aria-label={filters.label}>
      <AliasFilter name="of" label={text.participant} aliases={aliases} />
      {query['of'] !== undefined && <AliasFilter name="with" label={text.otherParticipant} aliases={aliases} />}
      {query['of'] !== undefined && (
        <a class="button button-quiet" href={PATHS.messages}>
          {text.all}
        </a>
      )}
      <FilterMenu page="messages" />
      <ExportButton list={messagesToExport({ of: query['of'], with: query['with'] })} />
    </search>
  );
}
