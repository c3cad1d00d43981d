// The shell of every page: top bar, navigation and global dialogs.
import type { ComponentChildren } from 'preact';
import { DemoBanner } from '../demo/demo-banner.tsx';
import { words } from '../i18n/language.ts';
import { sendAsked } from '../messages/open-send.ts';
import { ConnectionBanner } from './connection.tsx';
import { overlay, useKeys } from './keyboard.ts';
import { later } from './later.tsx';
import { MorePages, Navigation } from './navigation.tsx';
import { Toasts } from './toasts.tsx';
import { TopBar } from './top-bar.tsx';

const Overlays = later(async () => (await import('../pages.ts')).Overlays);

export function Shell({ children }: { children: ComponentChildren }) {
  useKeys();
  return (
    <>
      <a class="skip" href="#content">
        {words.value.frame.skip}
      </a>
      <TopBar />
      <div class="shell">
        <Navigation />
        <div class="shell-page">
          <ConnectionBanner />
          <DemoBanner />
          <main id="content" tabIndex={-1}>
            {children}
          </main>
        </div>
        <MorePages />
      </div>
      {(overlay.value !== null || sendAsked.value !== null) && <Overlays />}
      <Toasts />
    </>
  );
}
