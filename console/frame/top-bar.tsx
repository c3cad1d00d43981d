// The top bar: breadcrumb, network, connection state and account menu.
import { account, chooseNetwork, endSession } from '../account/account.ts';
import { Preferences } from '../account/preferences.tsx';
import { words } from '../i18n/language.ts';
import { network, networks } from '../live/store.ts';
import { NeedsButton } from '../needs-you/needs-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { PATHS } from '../routes.ts';
import { ConnectionState } from './connection.tsx';
import { openPalette } from './keyboard.ts';
import { Logo } from './logo.tsx';

const MENU = 'account-menu';

export function TopBar() {
  const { frame } = words.value;
  return (
    <header class="top-bar">
      <a class="home" href={PATHS.overview} aria-label={frame.home}>
        <Logo />
        <span class="home-name">{frame.product}</span>
      </a>
      <NetworkSwitch />
      <span class="spacer" />
      <PaletteButton />
      <NeedsButton />
      <ConnectionState />
      <button type="button" class="button button-quiet button-icon" popovertarget={MENU} aria-label={frame.accountMenu}>
        <Icon name="menu" />
      </button>
      <AccountMenu />
    </header>
  );
}

function PaletteButton() {
  const { frame } = words.value;
  return (
    <button type="button" class="search-button" aria-keyshortcuts="Control+K Meta+K" onClick={openPalette}>
      <Icon name="search" />
      <span class="search-button-text">{frame.search}</span>
      <kbd class="search-button-key">{COMMAND_K}</kbd>
    </button>
  );
}

const COMMAND_K = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

function NetworkSwitch() {
  if (networks.value.length < 2)
    return (
      <span class="network-name" dir="auto">
        {network.value?.network_name}
      </span>
    );
  const label = words.value.frame.network;
  const choose = (event: { currentTarget: { value: string } }) => chooseNetwork(event.currentTarget.value);
  return (
    <select class="network-switch" aria-label={label} value={account.value?.network_id} onChange={choose}>
      {networks.value.map(({ network_id, network_name }) => (
        <option key={network_id} value={network_id}>
          {network_name}
        </option>
      ))}
    </select>
  );
}

function AccountMenu() {
  const { frame } = words.value;
  return (
    <div class="menu" id={MENU} popover="auto">
      <p class="menu-user">
        <span class="field-hint">{frame.signedInAs}</span>
        <span class="menu-name" dir="auto">
          {account.value?.user.display_name || account.value?.user.username}
        </span>
      </p>
      <Preferences />
      <div class="menu-actions">
        <a class="button" href={PATHS.profile} onClick={closeMenu}>
          <Icon name="person" />
          {words.value.pages.profile}
        </a>
        <a class="button" href={PATHS.connect} onClick={closeMenu}>
          <Icon name="plus" />
          {frame.connect}
        </a>
        <button type="button" class="button" onClick={() => endSession('signedOut')}>
          {frame.signOut}
        </button>
      </div>
    </div>
  );
}

function closeMenu(): void {
  document.getElementById(MENU)?.hidePopover();
}
