// Starts the console: the looks first, then the stream that follows the signed-in person's network, then the page.
import './styles/index.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { followOtherTabs, takeSetupToken } from './account.ts';
import { startClock } from './clock.ts';
import { startLanguage } from './i18n/language.ts';
import { startTheme } from './theme.ts';
import { startWatching } from './watch.ts';

startTheme();
startLanguage();
startClock();
takeSetupToken();
followOtherTabs();
startWatching();

const place = document.getElementById('console');
if (place !== null) render(<App />, place);
