// The shell of every page: top bar, navigation and global dialogs.
import type { ComponentChildren } from 'preact';
import { DemoBanner } from '../demo/demo-banner.tsx';
import { words } from '../i18n/language.ts';
import { SendDialog } from '../messages/send-dialog.tsx';
import { ConnectionBanner } from './connection.tsx';
import { Help } from './help.tsx';
import { useKeys } from './keyboard.ts';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';
import { Toasts } from './toasts.tsx';
import { TopBar } from './top-bar.tsx';

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
      </div>
      <Palette />
      <Help />
      <SendDialog />
      <Toasts />
    </>
  );
}
