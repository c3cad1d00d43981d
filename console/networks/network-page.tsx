// The page of one network: statistics, members, invites, notifications, and leaving or deleting it.
import { useRoute } from 'preact-iso/router';
import { account, chooseNetwork } from '../account/account.ts';
import { FiguresPanel } from '../fleet/figures.tsx';
import { useAddress } from '../frame/address.ts';
import { language, words } from '../i18n/language.ts';
import type { ShownNetwork } from '../live/api.ts';
import { Notifiers } from '../notifiers/notifiers.tsx';
import { Empty } from '../parts/empty.tsx';
import { wholeNumber } from '../parts/format.ts';
import { Notice } from '../parts/notice.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { agentsPath, PATHS, tasksPath } from '../routes.ts';
import { Invites } from './invites.tsx';
import { LeaveOrDelete } from './leave-or-delete.tsx';
import { Members } from './members.tsx';
import { NetworkContext, useNetwork, useOpenNetwork } from './network-data.ts';
import { EditNetwork } from './network-edit.tsx';

export default function NetworkPage() {
  const network_id = useRoute().params['network_id'] ?? '';
  const { shown, failed, load } = useNetwork(network_id);
  if (shown.value !== null) return <Network key={network_id} shown={shown.value} reload={load} />;
  return (
    <div class="page page-narrow">
      <PageHead title={words.value.pages.network} />
      <section class="panel">{failed.value ? <NotHere /> : <SkeletonRows />}</section>
    </div>
  );
}

function NotHere() {
  const { network: text, pages } = words.value;
  return (
    <Empty title={text.missingTitle} text={text.missingText}>
      <a class="button" href={PATHS.networks}>
        {pages.networks}
      </a>
    </Empty>
  );
}

function Network({ shown, reload }: { shown: ShownNetwork; reload(): Promise<void> }) {
  const { network: text } = words.value;
  const { network } = shown;
  const isOwner = network.member_role === 'owner';
  return (
    <NetworkContext.Provider value={{ network, isOwner, reload }}>
      <div class="page page-narrow">
        <Head />
        {network.member_role === null && <Notice tone="info">{text.notMember}</Notice>}
        <p class="page-lead" dir="auto">
          {network.description || text.noDescription}
        </p>
        <Stats shown={shown} />
        {network.member_role !== null && <FiguresPanel network_id={network.network_id} />}
        <Members />
        {isOwner && <Invites />}
        {isOwner && <Notifiers network_id={network.network_id} />}
        {network.member_role !== null && <LeaveOrDelete />}
        {isOwner && <EditNetwork />}
      </div>
    </NetworkContext.Provider>
  );
}

function Head() {
  const { network: text, networks: list, role } = words.value;
  const { network, isOwner } = useOpenNetwork();
  const { pathWith } = useAddress();
  const isWatched = account.value?.network_id === network.network_id;
  return (
    <PageHead title={network.network_name}>
      {network.member_role !== null && <span class="tag">{role[network.member_role]}</span>}
      {isWatched && (
        <span class="tag" data-tone="good">
          {list.current}
        </span>
      )}
      {!isWatched && network.member_role !== null && (
        <button type="button" class="button" onClick={() => chooseNetwork(network.network_id)}>
          {list.switchTo}
        </button>
      )}
      {isOwner && (
        <a class="button" data-command href={pathWith({ dialog: 'edit' })}>
          {text.edit}
        </a>
      )}
    </PageHead>
  );
}

/** A statistic links to its list when the network is the one shown on the other pages. */
function Stats({ shown: { network, stats } }: { shown: ShownNetwork }) {
  const { network: text } = words.value;
  const isWatched = account.value?.network_id === network.network_id;
  const figures = [
    { label: text.online, value: stats.sessions.online, of: stats.sessions.total, href: agentsPath() },
    { label: text.running, value: stats.tasks.running, of: undefined, href: tasksPath({ status: 'running' }) },
    { label: text.tasks, value: stats.tasks.total, of: undefined, href: tasksPath() },
    { label: text.members, value: network.member_count, of: network.max_members, href: undefined },
    { label: text.nodes, value: stats.nodes, of: undefined, href: undefined },
  ];
  return (
    <section class="panel" aria-label={text.statistics}>
      <div class="stats">
        {figures.map(({ label, value, of, href }) => (
          <Stat key={label} label={label} value={value} of={of} href={isWatched ? href : undefined} />
        ))}
      </div>
    </section>
  );
}

type StatProps = { label: string; value: number; of: number | undefined; href: string | undefined };

function Stat({ label, value, of, href }: StatProps) {
  const content = (
    <>
      <span class="stat-value">
        {wholeNumber(value, language.value)} {of !== undefined && <small>{words.value.network.ofTotal(of)}</small>}
      </span>
      <span class="stat-label">{label}</span>
    </>
  );
  return href === undefined ? (
    <div class="stat">{content}</div>
  ) : (
    <a class="stat" href={href}>
      {content}
    </a>
  );
}
