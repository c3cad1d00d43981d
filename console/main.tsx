// Starts the console: the looks first, then the stream that follows the signed-in person's network, then the page.
import './styles/index.css';
import { render } from 'preact';
import { followOtherTabs, takeInvite, takeSetupToken } from './account/account.ts';
import { App, preloadPages } from './app.tsx';
import { startTheme } from './frame/theme.ts';
import { startLanguage } from './i18n/language.ts';
import { startClock } from './live/clock.ts';
import { recall } from './live/storage.ts';
import { startWatching } from './live/watch.ts';

startTheme();
startLanguage();
startClock();
takeSetupToken();
takeInvite();
// An invite link pasted into a console that is already open changes nothing but the hash.
addEventListener('hashchange', () => location.hash.startsWith('#join=') && location.reload());
followOtherTabs();
startWatching();

const place = document.getElementById('console');
if (place !== null) render(<App />, place);
addEventListener('load', () => setTimeout(preloadPages, 500));
// The demo agents of this tab go on after a reload; nobody else needs to fetch them.
if (recall('sessionStorage', 'agenthub.demo.token') !== null)
  void import('./demo/demo.ts').then(({ resumeDemo }) => resumeDemo());
