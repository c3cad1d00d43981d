// One search over tasks with their results, messages and agents, and for an ID. The address holds the text.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { useAddress } from '../frame/address.ts';
import { useTitle } from '../frame/title.ts';
import { language, words } from '../i18n/language.ts';
import type { Agent } from '../live/api.ts';
import { matchesWords } from '../live/listing.ts';
import { agents, isStale } from '../live/store.ts';
import { chatEntriesOf } from '../messages/merge.ts';
import { Empty } from '../parts/empty.tsx';
import { SearchField } from '../parts/filter-bar.tsx';
import { wholeNumber } from '../parts/format.ts';
import { ListFailed } from '../parts/load-failed.tsx';
import { agentsPath, tasksPath } from '../routes.ts';
import { type NamedById, useNamedById } from './found-id.ts';
import { FoundAgent, FoundMessage, FoundTask, NamedRow } from './found-rows.tsx';
import { idIn } from './ids.ts';
import { FilterMenu } from './saved/filter-menu.tsx';
import type { Search, SearchState } from './search.ts';
import { type Searches, useSearches } from './searches.ts';

/** Results of each kind at first, and for each request for more. */
const FOUND = 15;
/** More of them would hide the tasks. */
const FOUND_AGENTS = 5;

export default function SearchPage() {
  const { find, pages } = words.value;
  const { query } = useAddress();
  const { route } = useLocation();
  const text = query['text']?.trim() ?? '';
  const named = useNamedById(text);
  const searches = useSearches(named === undefined ? text : '', FOUND);
  useTitle(text === '' ? pages.search : `${text} · ${pages.search}`);
  useEffect(() => {
    if (text === '') document.querySelector<HTMLElement>('[data-search]')?.focus();
  }, []);
  const enter = (typed: string) => {
    const id = idIn(typed);
    if (id === undefined) document.querySelector<HTMLElement>('main .row-link')?.focus();
    else route(id.path);
  };
  return (
    <div class="page" data-stale={isStale.value}>
      <h1 class="visually-hidden">{pages.search}</h1>
      <section class="panel" aria-label={pages.search}>
        <search class="filters find-field" aria-label={pages.search}>
          <SearchField label={find.field} onEnter={enter} />
          <FilterMenu page="search" />
        </search>
        {text === '' && <Empty title={find.startTitle} text={find.startText} />}
        {named !== undefined && <ById named={named} />}
        {searches !== null && <Results text={text} searches={searches} />}
      </section>
    </div>
  );
}

function ById({ named }: { named: NamedById }) {
  if (named.isMissing === true) return <Empty title={words.value.find.noId} />;
  return (
    <ul class="short-list">
      <NamedRow named={named} />
    </ul>
  );
}

function Results({ text, searches: { tasks, messages } }: { text: string; searches: Searches }) {
  const { find } = words.value;
  const agentsFound = agents.value?.filter((agent) => isAbout(agent, text)) ?? [];
  const entries = chatEntriesOf(messages.rows.value);
  const inAgents = <ListLink path={agentsPath({ text })} page="agents" />;
  const inTasks = <ListLink path={tasksPath({ text })} page="tasks" />;
  return (
    <>
      {agentsFound.length > 0 && (
        <Section title={find.agents} count={agentsFound.length} state="whole" side={inAgents}>
          {agentsFound.slice(0, FOUND_AGENTS).map((agent) => (
            <FoundAgent key={agent.resume_id} agent={agent} wanted={text} />
          ))}
        </Section>
      )}
      <Section
        title={find.tasks}
        count={tasks.rows.value.length}
        state={tasks.state.value}
        search={tasks}
        side={inTasks}
      >
        {tasks.rows.value.map((task) => (
          <FoundTask key={task.task_id} task={task} wanted={text} />
        ))}
      </Section>
      <Section title={find.messages} count={entries.length} state={messages.state.value} search={messages}>
        {entries.map((entry) => (
          <FoundMessage key={entry.message.id} entry={entry} wanted={text} />
        ))}
      </Section>
    </>
  );
}

/** The list of the page, with its filters. */
function ListLink({ path, page }: { path: string; page: 'agents' | 'tasks' }) {
  const { find, pages } = words.value;
  return (
    <a class="link" href={path}>
      {find.filterIn(pages[page])}
    </a>
  );
}

function isAbout({ alias, agent, model, hostname, server, task, resume_id }: Agent, text: string): boolean {
  return resume_id === text || matchesWords(text, [alias, agent, model, hostname, server, task]);
}

type SectionProps = {
  title: string;
  count: number;
  state: SearchState;
  search?: Pick<Search<unknown>, 'more'>;
  side?: ComponentChildren;
  children: ComponentChildren;
};

/** Says whether these are all results: the search may still run, or may have stopped before the end of the list. */
function Section({ title, count, state, search, side, children }: SectionProps) {
  const { find } = words.value;
  return (
    <section class="found" aria-label={title} aria-busy={state === 'running'}>
      <header class="panel-head">
        <h2>{title}</h2>
        <span class="found-count" role="status">
          {state !== 'failed' && find.found[state](wholeNumber(count, language.value))}
        </span>
        {side}
      </header>
      {state === 'failed' && <ListFailed onRetry={() => search?.more()} />}
      {count === 0 && state === 'whole' && <p class="list-empty">{find.none}</p>}
      <ul class="short-list">{children}</ul>
      {state === 'cut' && (
        <button type="button" class="button panel-more" onClick={() => void search?.more()}>
          {find.more}
        </button>
      )}
    </section>
  );
}
