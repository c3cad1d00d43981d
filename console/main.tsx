// Starts the console: theme and language, then the event stream, then the page.
import './styles/index.css';
import { render } from 'preact';
import { followOtherTabs, takeInvite, takeSetupToken } from './account/account.ts';
import { App, preloadPages } from './app.tsx';
import { preloadParts } from './frame/later.tsx';
import { startTheme } from './frame/theme.ts';
import { loadLanguage, preloadLanguages, startLanguage } from './i18n/language.ts';
import { startClock } from './live/clock.ts';
import { readStored } from './live/storage.ts';
import { startWatching } from './live/watch.ts';

addEventListener('load', () => setTimeout(preloadRest, 500));
startTheme();
await loadLanguage();
startLanguage();
startClock();
takeSetupToken();
takeInvite();
// Opening an invite link in a tab that already shows the console changes only the hash.
addEventListener('hashchange', () => location.hash.startsWith('#join=') && location.reload());
followOtherTabs();
startWatching();

const root = document.getElementById('console');
if (root !== null) render(<App />, root);
// The demo agents of this tab resume after a reload. Only tabs that run them load their module.
if (readStored('sessionStorage', 'agenthub.demo.token') !== null)
  void import('./pages.ts').then(({ resumeDemo }) => resumeDemo());

function preloadRest(): void {
  preloadPages();
  preloadParts();
  preloadLanguages();
}
