// The sequence view: who sent what to whom, with time running downward and a lane for each agent.
import { account } from '../account/account.ts';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { agents, isStale } from '../live/store.ts';
import { useMessages } from '../messages/conversation.ts';
import { AliasFilter, FilterSelect } from '../parts/filter-bar.tsx';
import { Icon } from '../parts/icon.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { aliasList, PATHS } from '../routes.ts';
import { type Chosen, chosenIn, KINDS, listsOf } from './sequence.ts';
import { SequenceLog } from './sequence-log.tsx';
import { SPAN_NAMES } from './spans.ts';

const NEWEST = 100;

export default function SequencePage() {
  const title = words.value.pages.sequence;
  const { query } = useAddress();
  const chosen = chosenIn(query);
  const conversation = useMessages(listsOf(chosen), NEWEST);
  return (
    <div class="page sequence-page" data-stale={isStale.value}>
      <PageHead title={title} />
      <section class="panel sequence" aria-label={title}>
        <Filters chosen={chosen} />
        <SequenceLog
          key={JSON.stringify([account.value?.network_id, chosen.agents])}
          conversation={conversation}
          chosen={chosen}
        />
      </section>
    </div>
  );
}

function Filters({ chosen }: { chosen: Chosen }) {
  const {
    sequence: text,
    filters,
    messages,
    figures: { spans },
  } = words.value;
  const { query } = useAddress();
  const isSet = ['agents', 'kind', 'span'].some((name) => query[name] !== undefined);
  return (
    <search class="filters" aria-label={filters.label}>
      <AgentPicker chosen={chosen} />
      <FilterSelect
        name="kind"
        label={messages.composeKind}
        any={text.anyKind}
        options={KINDS.map((value) => ({ value, label: messages.kind[value] }))}
      />
      <FilterSelect
        name="span"
        label={words.value.overview.span}
        any={filters.anyAge}
        options={SPAN_NAMES.map((value) => ({ value, label: spans[value] }))}
      />
      <FilterSelect
        name="view"
        label={text.view}
        any={text.views.diagram}
        options={[{ value: 'list', label: text.views.list }]}
      />
      {isSet && (
        <a class="button button-quiet" href={PATHS.sequence}>
          {filters.clear}
        </a>
      )}
    </search>
  );
}

function AgentPicker({ chosen }: { chosen: Chosen }) {
  const { sequence: text } = words.value;
  const { change, pathWith } = useAddress();
  const known = [account.value?.user.username ?? '', ...(agents.value?.map(({ alias }) => alias) ?? [])];
  const add = (alias: string) => change({ agents: aliasList([...chosen.agents, alias]) });
  return (
    <>
      <AliasFilter name="add" label={text.addAgent} aliases={known} onAdd={add} />
      {chosen.agents.map((alias) => (
        <a
          key={alias}
          class="button button-small"
          href={pathWith({ agents: aliasList(chosen.agents.filter((each) => each !== alias)) })}
          aria-label={text.removeAgent(alias)}
        >
          <bdi>{alias}</bdi>
          <Icon name="close" />
        </a>
      ))}
    </>
  );
}
