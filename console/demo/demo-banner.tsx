// The banner on every page of the demo network, with links to manage the demo and return to the user’s own network.
import { useLocation } from 'preact-iso/router';
import { chooseNetwork } from '../account/account.ts';
import { words } from '../i18n/language.ts';
import { Icon } from '../parts/icon.tsx';
import { PATHS } from '../routes.ts';
import { isDemoShown, ownNetwork } from './demo-network.ts';

export function DemoBanner() {
  const { demo } = words.value;
  const { path } = useLocation();
  const own = ownNetwork.value;
  if (!isDemoShown.value) return null;
  return (
    <div class="banner" data-state="demo" role="status">
      <Icon name="eye" />
      <p>{path === PATHS.connect ? demo.bannerOnConnect : demo.banner}</p>
      {path !== PATHS.connect && (
        <a class="button button-small" href={PATHS.connect}>
          {demo.manage}
        </a>
      )}
      {own !== undefined && (
        <button type="button" class="button button-small" onClick={() => chooseNetwork(own.network_id)}>
          {demo.goToNetwork(own.network_name)}
        </button>
      )}
    </div>
  );
}
